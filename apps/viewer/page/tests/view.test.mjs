// A finished run in the browser: the picture, the timeline, the plots, the panels.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { rmSync } from 'node:fs';
import { difference, launch, openPage, pixels, run, SAMPLE_RUN, shownFrame, temporaryFolder, view } from './harness.mjs';

const FRAMES = 24;
const STEPS = 2 * (FRAMES - 1);
const folder = `${temporaryFolder()}/sample`;
let browser;
let server;

before(async () => {
  await run(SAMPLE_RUN, folder, String(FRAMES));
  [browser, server] = await Promise.all([launch(), view('view', folder)]);
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

async function openRun(options) {
  const page = await openPage(browser, options);
  await page.goto(server.url);
  await shownFrame(page, 0);
  await page.waitForSelector('#app[data-ready]');
  return page;
}

async function scrub(page, frame) {
  await page.locator('.scrub').fill(String(frame));
  await shownFrame(page, frame);
}

test('the canvas shows the run, and frames differ', async () => {
  const page = await openRun();
  const first = await pixels(page);
  await page.evaluate(() => document.querySelectorAll('.body input[type=checkbox], .check input').forEach((box) => box.checked && box.click()));
  await page.waitForTimeout(300);
  const empty = await pixels(page);
  assert.ok(difference(first, empty) > 0.1, `${difference(first, empty)} of the picture differs from the background`);
  await page.reload();
  await shownFrame(page, 0);
  assert.ok(difference(first, await pixels(page)) < 0.01, 'the same frame gives the same picture');
  await scrub(page, 9);
  const later = await pixels(page);
  assert.ok(difference(first, later) > 0.01, `${difference(first, later)} differs between frames`);
  await scrub(page, 0);
  assert.ok(difference(first, await pixels(page)) < 0.01, 'scrubbing back shows the first frame again');
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('the plots show every step and follow the timeline both ways', async () => {
  const page = await openRun();
  await page.waitForFunction((n) => [...document.querySelectorAll('.plot')].every((p) => Number(p.dataset.steps) === n), STEPS);
  const titles = await page.locator('.plot').evaluateAll((plots) => plots.map((plot) => plot.dataset.plot));
  assert.deepEqual(titles, ['energy', 'residual', 'contacts', 'iterations', 'time per step']);
  assert.match(await page.locator('.plots').innerText(), new RegExp(`${STEPS} steps`));
  await scrub(page, 10);
  assert.match(await page.locator('.report').first().innerText(), /step\s+20\n/);
  const box = await page.locator('[data-plot=energy] canvas').boundingBox();
  await page.mouse.click(box.x + box.width - 8, box.y + box.height / 2);
  await shownFrame(page, FRAMES - 1);
  assert.match(await page.locator('.report').first().innerText(), new RegExp(`step\\s+${STEPS}\\n`));
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('playing moves on, loops, pauses; keys step', async () => {
  const page = await openRun();
  await page.keyboard.press(' ');
  await page.waitForFunction(() => Number(document.querySelector('#app').dataset.frame) > 2);
  await page.keyboard.press(' ');
  await page.keyboard.press('End');
  await shownFrame(page, FRAMES - 1);
  await page.keyboard.press('ArrowLeft');
  await shownFrame(page, FRAMES - 2);
  await page.keyboard.press(' ');
  // From the end but one, only a loop comes back to the beginning.
  await page.waitForFunction((n) => Number(document.querySelector('#app').dataset.frame) < n / 2, FRAMES);
  await page.keyboard.press(' ');
  await page.keyboard.press('Home');
  await shownFrame(page, 0);
  await page.keyboard.press('?');
  assert.ok(await page.locator('dialog.help').isVisible());
  await page.keyboard.press('Escape');
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('colouring shows a legend with the range of the field', async () => {
  const page = await openRun();
  const before = await pixels(page);
  for (const [field, title, highest] of [
    ['channel:strain', 'strain', 0.05], ['velocity', 'speed [m/s]', 0.76], ['channel:contact_pressure', 'contact pressure [Pa]', 120],
  ]) {
    await page.getByLabel('Colour by').selectOption(field);
    await page.waitForFunction((t) => document.querySelector('.legend b').textContent === t, title);
    // The range follows the title when the field has been read; until then it is that of the field before.
    const isShown = (most) => {
      const high = Number(document.querySelector('.legend input:last-child').value);
      return high > 0.7 * most && high < 1.1 * most;
    };
    await page.waitForFunction(isShown, highest, { timeout: 10000 }).catch(async () => {
      assert.fail(`${field}: ${await page.getByLabel('Highest colour').inputValue()}`);
    });
    await page.waitForTimeout(200);
    assert.ok(difference(before, await pixels(page)) > 0.01, field);
  }
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('bodies can be hidden, recoloured, drawn as wire and flat', async () => {
  const page = await openRun();
  let last = await pixels(page);
  const cloth = page.locator('[data-body=cloth]');
  for (const change of [
    () => cloth.getByLabel('Colour of cloth').fill('#00ff00'),
    () => cloth.getByLabel('Drawing of cloth').selectOption('edges'),
    () => cloth.getByLabel('Drawing of cloth').selectOption('wire'),
    () => cloth.getByLabel('Show cloth').uncheck(),
    () => page.locator('[data-body=sphere]').getByLabel('Shading of sphere').selectOption('flat'),
    () => page.locator('[data-body=rod]').getByLabel('Show rod').uncheck(),
    () => page.locator('.check', { hasText: 'contacts' }).click(),
    () => page.locator('.check', { hasText: 'ground grid' }).click(),
    () => page.locator('.check', { hasText: 'shadows' }).click(),
  ]) {
    await change();
    await page.waitForTimeout(250);
    const now = await pixels(page);
    assert.ok(difference(last, now) > 0.0005, String(change));
    last = now;
  }
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('orbit, zoom and fit move the camera', async () => {
  const page = await openRun();
  const start = await pixels(page);
  const box = await page.locator('canvas.view').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 150, box.y + box.height / 2 + 20, { steps: 4 });
  await page.mouse.up();
  await page.waitForTimeout(250);
  const turned = await pixels(page);
  assert.ok(difference(start, turned) > 0.05);
  await page.mouse.wheel(0, -600);
  await page.waitForTimeout(250);
  assert.ok(difference(turned, await pixels(page)) > 0.05);
  await page.keyboard.press('r');
  await page.waitForTimeout(250);
  assert.ok(difference(start, await pixels(page)) < 0.01, 'R brings the camera back');
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('dark and phone-sized pages work', async () => {
  const page = await openRun({ viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true, colorScheme: 'dark' });
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
  assert.ok(await page.locator('.panel.right').isHidden());
  await page.locator('[data-toggles=right]').tap();
  assert.ok(await page.locator('[data-plot=energy]').isVisible());
  await page.locator('[data-toggles=left]').tap();
  assert.ok(await page.locator('[data-body=cloth]').isVisible());
  assert.ok(await page.locator('.panel.right').isHidden(), 'one panel at a time');
  const wide = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.querySelector('.timeline').scrollWidth <= innerWidth);
  assert.ok(wide, 'nothing reaches beyond the screen');
  await page.getByLabel('One frame on').tap();
  await shownFrame(page, 1);
  await page.getByLabel('Light or dark').tap();
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'light');
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('a run that is not there is told in words', async () => {
  const gone = `${temporaryFolder()}/gone`;
  await run(SAMPLE_RUN, gone, '2');
  const other = await view('view', gone);
  rmSync(gone, { recursive: true });
  const page = await openPage(browser);
  await page.goto(other.url);
  await page.waitForSelector('.notice');
  assert.match(await page.locator('.notice').innerText(), /cannot be shown[\s\S]*is not a run folder/);
  // The browser itself reports the refused request; the page adds nothing.
  assert.ok(page.complaints.every((text) => text.includes('404')), page.complaints.join('\n'));
  await page.close();
  await other.stop();
});
