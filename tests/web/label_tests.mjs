// What the page writes beside the box of a cloud, and how it goes on where a cloud has no density
// yet: the same words and proportions as skde-view.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { addCloud, browserTests, keepTexts, openPage, settled } from './browser_page.mjs';

const env = browserTests();
const QUAKES = new URL('../../data/quakes.csv', import.meta.url);

/// Returns rows of numbers, each about its middle within 1, in an order that is no line.
function rowsOf(head, middles, count = 300) {
  const row = (i) => middles.map(([middle, size], axis) => middle + size * (((i * [37, 101, 173][axis]) % 211) / 105 - 1));
  return [head, ...Array.from({ length: count }, (_, i) => row(i).join(','))].join('\n');
}

/// Opens a page that keeps the last place of each text that is drawn over the view.
const openLabelled = async (text, name) => openPage(env, `cloud=${await addCloud(env, text, name)}&cells=32`, { script: keepTexts });
const labelsOf = async (page) => new Map(await page.evaluate(() => [...window.drawn]));

test('depths grow downwards, negative ticks have minus signs, and stretched axes say by how much', async () => {
  const page = await openLabelled(readFileSync(QUAKES, 'utf8'), 'quakes.csv');
  await settled(page);
  const labels = await labelsOf(page);
  for (const words of ['long', 'lat', 'depth', 'downwards', '−20', '200', '400', 'density', '(per unit volume)', '10⁻⁴'])
    assert.ok(labels.has(words), `${words} is none of ${[...labels.keys()]}`);
  assert.ok(labels.get('400')[1] > labels.get('200')[1], 'a greater depth is drawn lower, as in skde-view');
  const stretched = [...labels.keys()].filter((words) => words.startsWith('stretched'));
  assert.deepEqual(stretched.map((words) => /^stretched [\d.]+×$/.test(words)), [true, true]);
  await page.selectOption('#flip', 'up');
  await page.waitForFunction(() => window.drawn.get('400')[1] < window.drawn.get('200')[1]);
});

test('units stand once, and a common offset in the name of the axis', async () => {
  const units = await openLabelled(rowsOf('x (Mpc),y (Mpc),z (Mpc)', [[0, 1], [0, 1], [0, 1]]), 'units.csv');
  await settled(units);
  const named = await labelsOf(units);
  for (const words of ['x (Mpc)', 'z (Mpc)', '(Mpc⁻³)']) assert.ok(named.has(words), `${words} is none of ${[...named.keys()]}`);
  assert.ok(![...named.keys()].some((words) => words.includes('(Mpc) (Mpc)')));
  const far = await openLabelled(rowsOf('x,y,z', [[1e9, 2], [-1e9, 2], [0, 2]]), 'far.csv');
  await settled(far);
  const labels = await labelsOf(far);
  for (const words of ['x − 1000000000', 'y + 1000000000', '−2', '2']) assert.ok(labels.has(words), `${words} is none of ${[...labels.keys()]}`);
  assert.ok([...labels.keys()].every((words) => !/\d{10}$/.test(words) || /^[xy] /.test(words)), 'no label has the digits of the offset');
  assert.ok(![...labels.keys()].some((words) => words.startsWith('stretched')), 'a cube is not stretched');
});

test('a flat cloud shows its samples, what is wrong, and a button for each value that mends it', async () => {
  const cloud = await addCloud(env, rowsOf('x,y,z', [[0, 1], [0, 1], [1.5, 0]]), 'flat.csv');
  for (const remedy of ['regularize=0.01', 'covariance=iso']) {
    const page = await openPage(env, `cloud=${cloud}&cells=32`);
    await page.locator('#message').waitFor();
    assert.match(await page.textContent('#message-text'), /^flat\.csv: the covariance is singular/);
    assert.deepEqual(await page.locator('#message-remedies button').allTextContents(), ['regularize=0.01', 'covariance=iso']);
    await page.getByRole('button', { name: remedy }).click();
    await settled(page);
    assert.equal(await page.locator('#message').isVisible(), false);
    assert.match(page.url(), new RegExp(`more=${remedy.split('=')[0]}`), 'a link shows the same');
  }
});

test('one sample has no density, which is said', async () => {
  const page = await openPage(env, `cloud=${await addCloud(env, 'x,y,z\n1,2,3\n', 'one.csv')}`);
  await page.locator('#message').waitFor();
  assert.match(await page.textContent('#message-text'), /fewer than 2 distinct samples/);
});

test('a file whose columns have other names shows them, and three that are chosen open it', async () => {
  const text = rowsOf('length,width,petal', [[5, 1], [3, 1], [1, 1]]).split('\n').map((row, i) => `${row},${i ? 'setosa' : 'kind'}`).join('\n');
  const page = await openPage(env);
  page.refuses = /422/;
  await page.setInputFiles('#file', { name: 'iris.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  await page.getByText('choose the columns').waitFor();
  assert.match(await page.textContent('#message-text'), /^iris\.csv: no columns are named x, y and z/);
  assert.deepEqual(await page.locator('#x option').allTextContents(), ['?', 'length', 'width', 'petal'], 'texts are no coordinates');
  for (const [axis, column] of [['y', 'width'], ['x', 'length']]) await page.selectOption(`#${axis}`, column);
  assert.notEqual(await page.locator('#stage').getAttribute('data-shown'), 'full', 'nothing is guessed');
  await page.selectOption('#z', 'petal');
  await settled(page);
  assert.equal(await page.locator('#message').isVisible(), false);
  assert.match(await page.textContent('#facts'), /^300 samples/);
  await page.reload();
  await settled(page);
  assert.equal(await page.inputValue('#z'), 'petal');
});
