// Mass levels: as an independent computation and as `skde levels` find them, and as they are moved.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { MassLevels } from '../../src/service/web/mass_levels.js';
import { addCloud, browserTests, lastVolume, openSettled, plain, randomCloud, settled } from './browser_page.mjs';

const env = browserTests();
const MASSES = [0.5, 0.75, 0.95];

/// Returns level, number of cells and held mass by sorting all values; `unit` is the mass of a
/// cell of value 1.
function sorted(values, unit, mass) {
  const falling = Array.from(values).filter((value) => value > 0).sort((a, b) => b - a);
  let sum = 0;
  for (const [i, value] of falling.entries()) {
    sum += value * unit;
    if (sum >= mass * (1 - 1e-12)) return { level: value, count: i + 1, held: sum };
  }
  return {};
}

const near = (found, wanted, tolerance) => Math.abs(found - wanted) <= tolerance * Math.abs(wanted);

function assertLevels(values, spacing, inBox) {
  const levels = new MassLevels({ values, spacing }, inBox);
  const cell = spacing[0] * spacing[1] * spacing[2];
  const total = values.reduce((sum, value) => sum + Math.max(value, 0), 0);
  const unit = inBox / total;  // mass of a cell of value 1
  for (const mass of [0.01, 0.3, ...MASSES, 0.999]) {
    const [found] = levels.regions([mass]);
    const wanted = sorted(values, unit, mass);
    assert.equal(found.level, wanted.level, `level of ${mass}`);
    if (!wanted.level) continue;
    assert.ok(near(found.volume, wanted.count * cell, 1e-9) && near(found.held, wanted.held, 1e-9), `volume and mass of ${mass}`);
    if (found.level < 1e-37) continue;  // where floats have fewer digits
    const above = values.reduce((sum, value) => sum + (value > found.level ? value * unit : 0), 0);
    const close = values.reduce((sum, value) => sum + (value > 0 && near(value, found.level, 0.01) ? value * unit : 0), 0);
    assert.ok(Math.abs(levels.massAbove(found.level) - above) <= close + 1e-9, `mass above the level of ${mass}`);
  }
  assert.deepEqual(levels.regions(MASSES), MASSES.map((mass) => levels.regions([mass])[0]));
}

test('levels of random volumes are those of sorted values', () => {
  for (let round = 0; round < 30; ++round) {
    const power = 1 + 20 * Math.random();
    const values = Float32Array.from({ length: 1 + Math.floor(4000 * Math.random()) }, () => Math.random() ** power);
    for (let i = 0; i < values.length; i += 3) values[i] = round % 3 === 0 ? 0 : round % 3 === 1 ? 0.25 : values[i];
    assertLevels(values, [0.5, 2, Math.random()], 0.9 + 0.1 * Math.random());
  }
  assertLevels(new Float32Array(8), [1, 1, 1], 1);
  assertLevels(Float32Array.from([1]), [1, 1, 1], 1);
  assertLevels(Float32Array.from([1e-42, 3e-42, 0, -1]), [1, 2, 3], 1);
});

test('the page tells the levels of skde levels', async () => {
  const cloud = await addCloud(env, randomCloud(700), 'random.csv');
  const page = await openSettled(env, `cloud=${cloud}&mode=surfaces&cells=64`);
  const file = join(env.folder, 'random.nrrd');
  writeFileSync(file, Buffer.from(await lastVolume(env)));
  const { levels } = JSON.parse(execFileSync(process.env.SKDE_PROGRAM, ['levels', file, '--mass', MASSES.join(), '--json']));
  const rows = await page.locator('#masses li').allTextContents();
  assert.equal(rows.length, MASSES.length);
  for (const [i, { mass, level, volume }] of levels.entries()) {
    const [, percent, space, from] = /^([\d.]+) %×([\d.e+-]+) .*density from ([\d.e-]+)$/.exec(plain(rows[i]));
    assert.equal(Number(percent), 100 * mass);
    assert.ok(near(Number(space), volume, 1e-3) && near(Number(from), level, 1e-3), `${rows[i]} instead of ${level}, ${volume}`);
  }
});

const massesOf = async (page) => {
  await settled(page);
  return (await page.locator('#masses b').allTextContents()).map((text) => parseFloat(text) / 100);
};

test('levels are moved on the histogram, by keys, added and removed', async () => {
  const cloud = await addCloud(env, randomCloud(700), 'random.csv');
  const page = await openSettled(env, `cloud=${cloud}&mode=surfaces&cells=64&masses=0.3,0.9`);
  const box = await page.locator('#histogram').boundingBox();
  // The axis covers four decades below the peak.
  const peak = Number(/peak ([\d.e-]+)/.exec(plain(await page.textContent('#facts')))[1]);
  const from = Number(/from ([\d.e-]+)/.exec(plain(await page.locator('#masses li').nth(1).textContent()))[1]);
  const x = box.x + box.width * (1 + Math.log10(from / peak) / 4);
  await page.mouse.move(x, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(x + 15, box.y + 42, { steps: 5 });
  await page.mouse.up();
  const [first, second] = await massesOf(page);
  assert.equal(first, 0.3);
  assert.ok(second < 0.88 && second > 0.31, `${second} after a drag to denser cells`);
  const after = Number(/from ([\d.e-]+)/.exec(plain(await page.locator('#masses li').nth(1).textContent()))[1]);
  assert.ok(near(Math.log10(after / from), (15 / box.width) * 4, 0.1), `${after} after ${from}`);
  await page.mouse.move(x + 15, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width, box.y + 40, { steps: 3 });
  await page.mouse.up();
  assert.deepEqual(await massesOf(page), [0.3, 0.31], 'its neighbour stops it');
  await page.locator('#masses input').nth(1).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('PageUp');
  assert.deepEqual(await massesOf(page), [0.3, 0.42]);
  await page.locator('#add-mass').press('Enter');
  assert.deepEqual(await massesOf(page), [0.3, 0.42, 0.71]);
  await page.locator('#add-mass').press('Enter');
  assert.equal(await page.locator('#add-mass').isVisible(), false, 'four surfaces are the most');
  await page.locator('#masses button').first().press('Enter');
  assert.equal((await massesOf(page)).length, 3);
  assert.match(page.url(), /masses=0.3,0.42,0.71/);
});
