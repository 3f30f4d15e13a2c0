// The one-file result opens from disk, without a server.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { writeFileSync } from 'node:fs';
import { difference, launch, openPage, pixels, run, SAMPLE_RUN, shownFrame, STICTION, temporaryFolder, view } from './harness.mjs';

test('export --to html shows the same pictures as the viewer', async () => {
  const folder = temporaryFolder();
  await run(SAMPLE_RUN, `${folder}/sample`, '12');
  await run(STICTION, 'export', `${folder}/sample`, '--to', 'html', '-o', `${folder}/sample.html`);
  const browser = await launch();
  const server = await view('view', `${folder}/sample`);
  const served = await openPage(browser);
  await served.goto(server.url);
  const page = await openPage(browser);
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(pathToFileURL(`${folder}/sample.html`).href);
  for (const each of [served, page]) {
    await shownFrame(each, 0);
    await each.locator('.scrub').fill('7');
    await shownFrame(each, 7);
  }
  assert.ok(difference(await pixels(served), await pixels(page)) < 0.01, 'quantised to a few micrometres, it looks the same');
  await page.waitForFunction(() => document.querySelector('.plot').dataset.steps === '22');
  await page.getByLabel('Colour by').selectOption('channel:strain');
  await page.waitForFunction(() => Number(document.querySelector('.legend input:last-child').value) > 0.03);
  await page.getByLabel('Colour by').selectOption('velocity');
  await page.waitForFunction(() => document.querySelector('.legend b').textContent.startsWith('speed'));
  assert.deepEqual(asked.filter((url) => !/^(file|data|blob):/.test(url)), [], 'nothing is asked from a network');
  assert.deepEqual([...page.complaints, ...served.complaints], []);
  await browser.close();
  await server.stop();
});

test('every n-th frame keeps its time', async () => {
  const folder = temporaryFolder();
  await run(SAMPLE_RUN, `${folder}/sample`, '13');
  await run(STICTION, 'export', `${folder}/sample`, '--to', 'html', '--every', '4', '-o', `${folder}/sample.html`);
  const browser = await launch();
  const page = await openPage(browser);
  await page.goto(pathToFileURL(`${folder}/sample.html`).href);
  await shownFrame(page, 0);
  await page.keyboard.press('End');
  await shownFrame(page, 3);
  assert.equal(await page.locator('.frame-time').innerText(), '0.500 s');
  assert.deepEqual(page.complaints, []);
  await browser.close();
});

test('pages without a run, or with a damaged one, say so', async () => {
  const folder = temporaryFolder();
  await run(SAMPLE_RUN, `${folder}/sample`, '2');
  const server = await view('view', `${folder}/sample`);
  const empty = await (await fetch(server.url)).text();
  await server.stop();
  writeFileSync(`${folder}/empty.html`, empty);
  const damaged = '<script type="application/octet-stream" id="stiction-bundle">H4sIAAAA</script>';
  writeFileSync(`${folder}/damaged.html`, empty.replace('<!--STICTION_BUNDLE-->', damaged));
  const browser = await launch();
  for (const [file, words] of [['empty.html', /holds no run/], ['damaged.html', /cannot be shown/]]) {
    const page = await openPage(browser);
    await page.goto(pathToFileURL(`${folder}/${file}`).href);
    await page.waitForSelector('.notice');
    assert.match(await page.locator('.notice').innerText(), words);
    await page.close();
  }
  await browser.close();
});
