// What the browser tests share: a run to look at, the server, Chromium, and a record of everything the console says.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { chromium } from 'playwright-core';

/** Programs under test; `check.sh` sets them. */
export const STICTION = required('STICTION');
export const SAMPLE_RUN = required('SAMPLE_RUN');
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

function required(name) {
  const value = process.env[name];
  if (!value) throw new Error(`set ${name}, or start the tests with apps/viewer/check.sh`);
  return value;
}

/** What a test leaves open when it fails; without this the process would wait for it. */
const open = new Set();
after(() => Promise.all([...open].map((close) => close())));

/** A folder that goes away with the tests. */
export function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'stiction-viewer-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs a program to its end. */
export function run(program, ...args) {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (text) => { errors += text; });
    child.on('close', (code) => (code === 0 ? done() : fail(new Error(`${program} ${args.join(' ')}: ${errors}`))));
  });
}

/** Starts `stiction view`; gives the address, and a way to stop it as Ctrl-C does. */
export function view(...args) {
  return new Promise((done, fail) => {
    const child = spawn(STICTION, [...args, '--no-open'], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    const closed = new Promise((end) => child.on('close', end));
    child.stderr.on('data', (text) => {
      said += text;
      const url = /viewer: (\S+)/.exec(said)?.[1];
      if (url) done({ url, stop });
    });
    const stop = () => {
      open.delete(stop);
      child.kill('SIGINT');
      return closed;
    };
    open.add(stop);
    closed.then((code) => fail(new Error(`the viewer ended with ${code}: ${said}`)));
  });
}

export async function launch() {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    headless: true,
    args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync'],
  });
  open.add(() => browser.close());
  return browser;
}

/** A page that records errors of any kind in `page.complaints`. */
export async function openPage(browser, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  page.complaints = [];
  page.on('console', (message) => {
    // Taking a screenshot reads pixels back, which the driver remarks on; the page never does.
    const ownDoing = message.text().includes('GPU stall due to ReadPixels');
    if (['error', 'warning'].includes(message.type()) && !ownDoing) page.complaints.push(message.text());
  });
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  return page;
}

/** Waits until a frame is on the screen. */
export async function shownFrame(page, index) {
  await page.waitForFunction((k) => document.querySelector('#app')?.dataset.frame === String(k), index);
}

/** The pixels of the canvas as drawn, shrunk: rows of [r, g, b]. */
export async function pixels(page) {
  const png = await page.locator('canvas.view').screenshot();
  return page.evaluate(async (data) => {
    const picture = new Image();
    picture.src = data;
    await picture.decode();
    const canvas = new OffscreenCanvas(320, 200);
    const pen = canvas.getContext('2d');
    pen.drawImage(picture, 0, 0, 320, 200);
    return Array.from(pen.getImageData(0, 0, 320, 200).data).filter((_, k) => k % 4 !== 3);
  }, `data:image/png;base64,${png.toString('base64')}`);
}

/** Share of pixels whose colour differs by more than a shade. */
export function difference(a, b) {
  let count = 0;
  for (let k = 0; k < a.length; k += 3) {
    if (Math.abs(a[k] - b[k]) + Math.abs(a[k + 1] - b[k + 1]) + Math.abs(a[k + 2] - b[k + 2]) > 24) count++;
  }
  return count / (a.length / 3);
}
