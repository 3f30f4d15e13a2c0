// A scene that runs while the page is open.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launch, openPage, shownFrame, temporaryFolder, view } from './harness.mjs';

const FRAMES = 30;

async function watchScene(...command) {
  const folder = temporaryFolder();
  const browser = await launch();
  const server = await view(...command, '--frames', String(FRAMES), '-o', `${folder}/run`);
  const page = await openPage(browser);
  await page.goto(server.url);
  await page.waitForSelector('#app[data-frame]');
  return { browser, server, page };
}

for (const command of [['view', 'hanging_cloth'], ['run', 'hanging_cloth', '--view']]) {
  test(`stiction ${command.join(' ')} shows frames as they come`, async () => {
    const { browser, server, page } = await watchScene(...command);
    const first = Number(await page.evaluate(() => document.querySelector('#app').dataset.frame));
    await page.waitForFunction((k) => Number(document.querySelector('#app').dataset.frame) > k, first, { timeout: 60_000 });
    await page.waitForSelector('#app[data-status=finished]', { timeout: 120_000 });
    await page.keyboard.press('n');
    await shownFrame(page, FRAMES);
    await page.waitForFunction(() => Number(document.querySelector('.plot').dataset.steps) >= 30);
    // While the scene is built the server answers 503, which the browser reports.
    assert.ok(page.complaints.every((text) => text.includes('503')), page.complaints.join('\n'));
    await browser.close();
    assert.equal(await server.stop(), 0);
  });
}

test('a scene that cannot be run is told in the page or refused', async () => {
  await assert.rejects(view('view', 'no_such_scene'), /no file `no_such_scene`/);
});
