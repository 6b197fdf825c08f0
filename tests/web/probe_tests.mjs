// The probe: what it reads under the pointer, against values of the volume itself, and the table of
// pins.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseVolume } from '../../src/service/web/result_files.js';
import { addCloud, BLOBS, blobFile, browserTests, call, DISTANCE, lastVolume, openPage, openSettled, plain, randomCloud, settled, VIEW_ANGLE } from './browser_page.mjs';

const env = browserTests();

const volumeOf = async () => parseVolume(await lastVolume(env));

/// Returns the density at a place by weights of the eight cells around it.
function densityAt({ values, dims, origin, spacing }, place) {
  const at = place.map((value, axis) => Math.min(Math.max((value - origin[axis]) / spacing[axis], 0), dims[axis] - 1));
  let sum = 0;
  for (let corner = 0; corner < 8; ++corner) {
    const cell = at.map((part, axis) => Math.min(Math.floor(part) + ((corner >> axis) & 1), dims[axis] - 1));
    const weight = at.reduce((product, part, axis) => product * ((corner >> axis) & 1 ? part - Math.floor(part) : 1 - part + Math.floor(part)), 1);
    sum += weight * values[cell[0] + dims[0] * (cell[1] + dims[1] * cell[2])];
  }
  return sum;
}

function massAbove({ values, spacing }, density) {
  return values.reduce((sum, value) => sum + (value > density ? value : 0), 0) * spacing[0] * spacing[1] * spacing[2];
}

const readingOf = async (page) => (await page.locator('#probe-reading dd').allTextContents()).map((text) => parseFloat(plain(text)));

/// Seen from above, a pixel's ray meets heights z at known x and y.
async function rayFromAbove(cloud, [x, y], { width, height }) {
  const info = await (await call(env, `clouds/${cloud}`)).json();
  const { lower, upper } = info.suggested.auto.grid.bounds;
  const longest = Math.max(...upper.map((value, axis) => value - lower[axis]));
  const centre = upper.map((value, axis) => (value + lower[axis]) / 2);
  const half = Math.tan((VIEW_ANGLE * Math.PI) / 360) / Math.min(width, height);
  const aside = [(2 * x - width) * half, (height - 2 * y) * half];
  return (z) => {
    const depth = DISTANCE - (z - centre[2]) / longest;
    return [centre[0] + aside[0] * depth * longest, centre[1] + aside[1] * depth * longest, z];
  };
}

for (const mode of ['composite', 'surfaces'])
  test(`the probe reads what is under the pointer: ${mode}`, async () => {
    const cloud = await addCloud(env, randomCloud(500), 'random.csv');
    const page = await openSettled(env, `cloud=${cloud}&mode=${mode}&masses=0.4,0.8&cells=64&shape=true&slices=0&camera=0,0,${DISTANCE},0,0,0,0,1,0`);
    const volume = await volumeOf();
    const box = await page.locator('#view').boundingBox();
    const level = mode === 'surfaces' && Number(/from ([\d.e-]+)/.exec(plain(await page.locator('#masses li').nth(1).textContent()))[1]);
    let read = 0;
    for (let i = 0; i < 60 && read < 8; ++i) {
      const pixel = [Math.round(box.width * (0.3 + 0.4 * Math.random())), Math.round(box.height * (0.3 + 0.4 * Math.random()))];
      await page.mouse.move(box.x + pixel[0], box.y + pixel[1]);
      const ray = await rayFromAbove(cloud, pixel, box);
      const heights = Array.from({ length: 2001 }, (_, k) => volume.upper[2] - ((volume.upper[2] - volume.lower[2]) * k) / 2000);
      const along = heights.map((z) => ray(z)).filter((place) => place.every((value, axis) => value >= volume.lower[axis] && value <= volume.upper[axis]));
      const densities = along.map((place) => densityAt(volume, place));
      const most = Math.max(...densities);
      // The probe reads once a cell and may miss what is thinner.
      if (mode === 'surfaces' ? most > 0.8 * level && most < 1.25 * level : most > 0 && most < 0.01 * volume.peak) continue;
      const best = mode === 'surfaces' ? densities.findIndex((density) => density >= level) : densities.indexOf(most);
      if (best < 0 || most === 0) {
        assert.equal(await page.locator('#probe-reading').isVisible(), false);
        continue;
      }
      if (mode === 'surfaces' && !densities.slice(best, best + 100).every((density) => density > 0.8 * level)) continue;
      const [x, y, z, density, percent] = await readingOf(page);
      const size = volume.upper[0] - volume.lower[0];
      if (mode === 'surfaces') assert.ok(Math.abs(z - along[best][2]) < 0.02 * size, `${z} instead of ${along[best][2]}`);
      else assert.ok(density > most - 0.03 * volume.peak, `${density} instead of ${most}`);
      const [wantedX, wantedY] = ray(z);
      assert.ok(Math.hypot(x - wantedX, y - wantedY) < 0.01 * size, `${x}, ${y} instead of ${wantedX}, ${wantedY}`);
      assert.ok(Math.abs(density - densityAt(volume, [x, y, z])) < 0.01 * density, `density ${density}`);
      assert.ok(Math.abs(percent / 100 - massAbove(volume, density)) < 0.01, `${percent} % above`);
      ++read;
    }
    assert.ok(read > 3, `${read} places were read`);
    await page.mouse.move(box.x + 3, box.y + 3);
    assert.equal(await page.locator('#probe-reading').isVisible(), false, 'nothing is read beside the box');
  });

test('peaks are places of highest density, and put the cross-hair there', async () => {
  const cloud = await addCloud(env, blobFile());
  const page = await openSettled(env, `cloud=${cloud}&cells=64&cross=0.5,0.5,0.5`);
  const volume = await volumeOf();
  await page.locator('#find-peaks').click();
  await page.locator('#peaks button').first().waitFor();
  const places = (await page.locator('#peaks button').allTextContents()).map((text) => plain(text).split(',').map(Number));
  assert.equal(places.length, 2);
  for (const centre of BLOBS) assert.ok(places.some((place) => Math.hypot(...place.map((value, axis) => value - centre[axis])) < 0.5), `${places}`);
  assert.ok(densityAt(volume, places[0]) > 0.75 * volume.peak);
  await page.locator('#peaks button').nth(1).click();
  const shares = await page.locator('#cross input').evaluateAll((inputs) => inputs.map((input) => Number(input.value)));
  shares.forEach((share, axis) => {
    const at = volume.lower[axis] + share * (volume.upper[axis] - volume.lower[axis]);
    assert.ok(Math.abs(at - places[1][axis]) < 0.1, `${at} instead of ${places[1][axis]}`);
  });
});

test('a click pins a place, Enter the cross-hair, and the table is copied', async () => {
  const cloud = await addCloud(env, randomCloud(500, 1), 'random.csv');
  const page = await openPage(env, `cloud=${cloud}&cells=64&cross=0.5,0.4,0.6`);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await settled(page);
  const volume = await volumeOf();
  const box = await page.locator('#view').boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.click(x, y);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 40, y + 10, { steps: 4 });
  await page.mouse.up();
  assert.equal(await page.locator('#pins tr').count(), 2, 'a drag pins nothing');
  await page.keyboard.press('v');
  for (let i = 0; i < 2; ++i) await page.keyboard.press('Enter');
  assert.equal(await page.locator('#pins tr').count(), 3, 'a place is pinned once');
  await page.locator('#copy-pins').click();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  await page.evaluate(async () => {
    await navigator.clipboard.writeText('');
    navigator.clipboard.writeText = () => Promise.reject(new Error('as on pages without encryption'));
  });
  await page.locator('#copy-pins').click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text, 'the other way to the clipboard');
  const [head, ...rows] = text.trim().split('\n').map((line) => line.split('\t'));
  assert.deepEqual(head, ['x', 'y', 'z', 'density (per unit volume)', 'mass above']);
  assert.equal(rows.length, 2);
  for (const row of rows) {
    const [px, py, pz, density, mass] = row.map(Number);
    assert.ok(Math.abs(density / densityAt(volume, [px, py, pz]) - 1) < 1e-3, `density ${density}`);
    assert.ok(Math.abs(mass - massAbove(volume, density)) < 0.01, `${mass} above`);
  }
  const crossed = [0.5, 0.4, 0.6].map((share, axis) => volume.lower[axis] + share * (volume.upper[axis] - volume.lower[axis]));
  crossed.forEach((value, axis) => assert.ok(Math.abs(Number(rows[1][axis]) - value) < 1e-4 * (volume.upper[axis] - volume.lower[axis])));
  await page.waitForTimeout(300);
  const other = await openSettled(env, page.url().split('#')[1]);
  assert.equal(await other.locator('#pins').innerText(), await page.locator('#pins').innerText(), 'the address holds the pins');
  await page.getByLabel('Remove pin 1').click();
  assert.equal(await page.locator('#pins tr').count(), 2);
  await page.locator('#clear-pins').click();
  assert.equal(await page.locator('#pins-section').isVisible(), false);
});
