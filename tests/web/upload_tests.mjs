import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addCloud, blobFile, browserTests, call, openPage, openSettled, settled, spot, viewPixels } from './browser_page.mjs';

const env = browserTests();

const drop = async (page, text, name) => {
  const data = await page.evaluateHandle(([content, file]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([content], file));
    return transfer;
  }, [text, name]);
  await page.dispatchEvent('#stage', 'drop', { dataTransfer: data });
};

test('a dropped file is uploaded, its samples are shown, then a preview, then the full density', async () => {
  const page = await openPage(env);
  const order = [];
  page.on('request', (request) => {
    const path = new URL(request.url()).pathname;
    if (path === '/clouds' && request.method() === 'POST') order.push('upload');
    if (path.endsWith('/points')) order.push('points');
    if (path === '/processes/density/execution') order.push(request.postDataJSON().inputs.dims);
  });
  await drop(page, blobFile(), 'dropped.csv');
  await settled(page);
  assert.deepEqual(order, ['upload', 'points', 40, 128]);
  assert.match(await page.textContent('#facts'), /^800 samples · .*128/);
  assert.equal(await page.locator('#clouds option:checked').textContent(), 'dropped.csv');
  const { clouds } = await (await call(env, 'clouds')).json();
  assert.deepEqual(clouds.map(({ name }) => name), ['dropped.csv']);
});

test('samples are seen before there is a density', async () => {
  const page = await openPage(env);
  await page.route('**/processes/density/execution', () => {});  // never answered
  await drop(page, blobFile(), 'samples.csv');
  await page.locator('#hint').waitFor({ state: 'hidden' });
  await page.waitForTimeout(500);
  const pixels = await viewPixels(env, page);
  assert.ok(spot(pixels, 0, pixels.width).count > 300);
});

test('a bad file shows the message of the service, and what was shown stays', async () => {
  const cloud = await addCloud(env, blobFile(), 'good.csv');
  const page = await openSettled(env, `cloud=${cloud}&cells=64`);
  const before = await page.textContent('#facts');
  page.refuses = /422/;
  await drop(page, 'this is, no cloud\nof points, at all\n', 'bad.csv');
  await page.locator('#message').waitFor({ state: 'visible' });
  assert.match(await page.textContent('#message-text'), /bad\.csv/);
  assert.equal(await page.textContent('#facts'), before);
  assert.equal(await page.locator('#clouds').inputValue(), cloud);
  await page.waitForTimeout(500);
  const { clouds } = await (await call(env, 'clouds')).json();
  assert.ok(clouds.every(({ name }) => name !== 'bad.csv'), 'it is not kept');
  await page.locator('#message-close').click();
  assert.equal(await page.locator('#message').isVisible(), false);
});

test('a large file goes in pieces, behind a broken connection too', async () => {
  const page = await openPage(env, 'cells=32');
  page.refuses = /ERR_CONNECTION_RESET/;
  let pieces = 0;
  await page.route('**/uploads/*', (route) => {
    if (route.request().method() === 'PATCH' && ++pieces === 2) return route.abort('connectionreset');
    return route.continue();
  });
  // 70 MiB: the blobs repeated many times, generated in the page.
  await page.evaluate((text) => {
    const lines = text.split('\n');
    const body = `${lines.slice(1).join('\n')}\n`;
    const parts = [`${lines[0]}\n`, ...Array(Math.ceil((70 * 2 ** 20) / body.length)).fill(body)];
    const transfer = new DataTransfer();
    transfer.items.add(new File(parts, 'large.csv'));
    document.getElementById('stage').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, blobFile());
  await page.locator('#busy').waitFor({ state: 'visible' });
  await page.waitForFunction(() => document.getElementById('stage').dataset.shown === 'full', null, { timeout: 120000 });
  assert.ok(pieces >= 6, `${pieces} pieces`);
  const { clouds } = await (await call(env, 'clouds')).json();
  const large = clouds.find(({ name }) => name === 'large.csv');
  assert.ok(large.bytes > 70 * 2 ** 20);
});
