import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addCloud, blobFile, BLOBS, browserTests, call, difference, DISTANCE, lastVolume, openSettled, plain, settled, spot, VIEW_ANGLE, viewPixels } from './browser_page.mjs';

const env = browserTests();
const FROM_ABOVE = `camera=0,0,${DISTANCE},0,0,0,0,1,0`;
const STATE = `box=0&bandwidth=0.3&cells=96&shape=true&slices=0&${FROM_ABOVE}`;

/// Returns where a point of the plane z = 0 is seen from above, without the page's own arithmetic.
async function expectedPlace(cloud, point, { width, height }) {
  const info = await (await call(env, `clouds/${cloud}`)).json();
  const { lower, upper } = info.suggested.auto.grid.bounds;
  const longest = Math.max(...upper.map((value, axis) => value - lower[axis]));
  const pixels = Math.min(width, height) / (2 * DISTANCE * Math.tan((VIEW_ANGLE * Math.PI) / 360)) / longest;
  const centre = upper.map((value, axis) => (value + lower[axis]) / 2);
  return [width / 2 + (point[0] - centre[0]) * pixels, height / 2 - (point[1] - centre[1]) * pixels];
}

/// Shows another state in the same page, because loading a page takes longer than all checks.
async function turnTo(page, state) {
  await page.evaluate((hash) => (location.hash = hash), state);
  await page.waitForLoadState();
  await settled(page);
}

for (const colorScheme of ['dark', 'light'])
  test(`each mode shows two blobs where they lie, ${colorScheme}`, async () => {
    const cloud = await addCloud(env, blobFile());
    const page = await openSettled(env, `cloud=${cloud}&mode=surfaces&masses=0.95&${STATE}`, { colorScheme });
    let before = await viewPixels(env, page);
    for (const mode of ['composite', 'maximum', 'surfaces&masses=0.5', 'surfaces']) {
      await turnTo(page, `cloud=${cloud}&mode=${mode}&${STATE}`);
      const pixels = await viewPixels(env, page);
      const halves = [[0, pixels.width >> 1], [pixels.width >> 1, pixels.width]];
      for (const [i, [begin, end]] of halves.entries()) {
        const seen = spot(pixels, begin, end);
        const [x, y] = await expectedPlace(cloud, BLOBS[i], pixels);
        assert.ok(seen.count > 200, `${seen.count} pixels of blob ${i}`);
        assert.ok(Math.hypot(seen.x - x, seen.y - y) < 5, `blob ${i} at ${seen.x}, ${seen.y} instead of ${x}, ${y}`);
      }
      assert.ok(difference(pixels, before) > 0.005, 'another mode, another picture');
      before = pixels;
    }
  });

test('the bandwidth slider changes the picture, and an old value brings it back', async () => {
  const cloud = await addCloud(env, blobFile());
  const page = await openSettled(env, `cloud=${cloud}&mode=surfaces&masses=0.95&${STATE}`);
  const before = await viewPixels(env, page);
  await page.locator('#bandwidth').focus();
  const posted = [];
  page.on('request', (request) => request.url().endsWith('/processes/density/execution') && posted.push(request.postDataJSON().inputs));
  for (let i = 0; i < 12; ++i) await page.keyboard.press('ArrowRight');
  await settled(page);
  const wider = await viewPixels(env, page);
  const half = before.width >> 1;
  assert.ok(spot(wider, 0, half).count > 1.3 * spot(before, 0, half).count, 'a wider kernel covers more');
  assert.ok(posted.length > 0 && posted.every((inputs) => Number(inputs.bandwidth) > 0.3));
  for (let i = 0; i < 12; ++i) await page.keyboard.press('ArrowLeft');
  await settled(page);
  const jobs = (await (await call(env, 'jobs?limit=100')).json()).jobs.length;
  for (let i = 0; i < 12; ++i) await page.keyboard.press('ArrowRight');
  await settled(page);
  assert.ok((await viewPixels(env, page)).data.equals(wider.data), 'the same value, the same picture');
  assert.ok(jobs > 0);
});

test('the clip box cuts the left blob off', async () => {
  const cloud = await addCloud(env, blobFile());
  const page = await openSettled(env, `cloud=${cloud}&mode=composite&clip=0.5,0,0,1,1,1&${STATE}`);
  for (const mode of ['composite', 'surfaces', 'composite&samples=1']) {
    await turnTo(page, `cloud=${cloud}&mode=${mode}&clip=0.5,0,0,1,1,1&${STATE}`);
    const pixels = await viewPixels(env, page);
    assert.equal(spot(pixels, 0, (pixels.width >> 1) - 4).count, 0);
    assert.ok(spot(pixels, pixels.width >> 1, pixels.width).count > 200);
  }
});

test('weights make the right blob three times as dense at the cross-hair', async () => {
  const cloud = await addCloud(env, blobFile());
  const page = await openSettled(env, `cloud=${cloud}&weights=mass&bandwidth=0.4&cells=96`);
  const volume = Buffer.from(await lastVolume(env)).toString('latin1');
  const lower = /lower_corner:=(.*)/.exec(volume)[1].split(' ').map(Number);
  const cell = /cell_size:=(.*)/.exec(volume)[1].split(' ').map(Number);
  const dims = /sizes: (.*)/.exec(volume)[1].split(' ').map(Number);
  const values = [];
  for (const blob of BLOBS) {
    const cross = blob.map((value, axis) => (value - lower[axis]) / (cell[axis] * dims[axis]));
    await turnTo(page, `cloud=${cloud}&weights=mass&bandwidth=0.4&cells=96&cross=${cross.map((share) => share.toFixed(4))}`);
    values.push(parseFloat(plain(await page.textContent('#value')).split(': ')[1]));
  }
  assert.ok(Math.abs(values[1] / values[0] - 3) < 0.15, `${values}`);
});
