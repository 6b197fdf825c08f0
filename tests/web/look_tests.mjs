// The page shows densities as skde-view does: the same numbers, and the same picture.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { MassLevels } from '../../src/service/web/mass_levels.js';
import { broadSide } from '../../src/service/web/camera.js';
import { DisplaySpace, UNLIKE } from '../../src/service/web/display_space.js';
import { axisCaption, chooseTicks, densityUnit, valueTicks } from '../../src/service/web/number_text.js';
import { axisUpTo, opacitiesByMass, opacityAt, presetFor, shareOf, shellMasses, valueAt } from '../../src/service/web/transfer_function.js';
import { addCloud, blobFile, browserTests, call, contrastAt, decodedPixels, keepTexts, openPage, settled } from './browser_page.mjs';

if (!process.env.SKDE_LOOK_NUMBERS) {
  console.log('SKIPPED: skde-view is not built');
  process.exit(0);
}
const env = browserTests();
const numbers = JSON.parse(execFileSync(process.env.SKDE_LOOK_NUMBERS, { maxBuffer: 2 ** 26 }));
const { steps } = numbers;

function assertNear(found, wanted, tolerance, what) {
  assert.ok(Math.abs(found - wanted) <= tolerance * Math.max(1e-300, Math.abs(wanted)) || found === wanted, `${what}: ${found} instead of ${wanted}`);
}

test('axes are those of skde-view', () => {
  for (const { peak, logarithmic, low, high, values, shares } of numbers.axes) {
    const axis = axisUpTo(peak, logarithmic);
    assert.deepEqual([axis.low, axis.high, axis.logarithmic], [low, high, logarithmic]);
    values.forEach((value, i) => {
      assertNear(valueAt(axis, i / steps), value, 1e-12, `value ${i} below ${peak}`);
      assert.ok(Math.abs(shareOf(axis, value * 1.01) - shares[i]) < 1e-12);
    });
  }
});

test('opacities are those of skde-view, and so is what is chosen at first', async () => {
  const told = await (await call(env, 'view/look.js')).text();
  const { opacities: presets } = await import(`data:text/javascript,${encodeURIComponent(told)}`);
  assert.deepEqual(Object.keys(presets), Object.keys(numbers.presets));
  for (const [name, opacities] of Object.entries(numbers.presets))
    opacities.forEach((opacity, i) => assert.ok(Math.abs(opacityAt(presets[name], (i - 2) / steps) - opacity) < 1e-12, `${name} at ${(i - 2) / steps}`));
  assert.equal(presetFor(numbers.default.opacities, false), numbers.default['of a linear axis']);
  assert.equal(presetFor('soft', false), 'soft linear');
  assert.equal(presetFor('soft linear', true), 'soft');
});

test('opacities by mass are those of skde-view', () => {
  for (const { fall, in_box: inBox, logarithmic, count, cell, points } of numbers.hills) {
    const values = Float32Array.from({ length: count }, (_, i) => Math.exp(-fall * ((i + 0.5) / count) ** (2 / 3)));
    const regions = new MassLevels({ values, spacing: [cell, 1, 1] }, inBox).regions(shellMasses(inBox));
    const found = opacitiesByMass(regions, axisUpTo(1, logarithmic), count * cell).flat();
    assert.equal(found.length, points.length);
    // skde-view knows levels and volumes to within the bins of a histogram.
    found.forEach((part, i) => assert.ok(Math.abs(part - points[i]) < 0.01, `${found} instead of ${points}`));
  }
});

test('ticks, captions and proportions are those of skde-view', () => {
  for (const { lower, upper, units, positions, labels, caption } of numbers.ticks) {
    const ticks = chooseTicks(lower, upper, 5);
    assert.deepEqual([ticks.labels, axisCaption('x', ticks, units)], [labels, caption]);
    positions.forEach((position, i) => assertNear(ticks.positions[i], position, 1e-12, `tick ${i} from ${lower}`));
  }
  for (const { units, shares, labels, caption, ...axis } of numbers.bars) {
    const ticks = valueTicks(axis, 5);
    const minor = new Array(ticks.minor.length).fill('');
    assert.deepEqual([[...ticks.labels, ...minor], axisCaption('density', ticks, densityUnit(units))], [labels, caption]);
    [...ticks.positions, ...ticks.minor].forEach((value, i) => assert.ok(Math.abs(shareOf(axis, value) - shares[i]) < 1e-9));
  }
  assert.equal(UNLIKE, numbers.unlike);
});

test('clouds are first seen as in skde-view', () => {
  for (const [xx, yy, zz, xz, azimuth, elevation] of numbers.cameras) {
    const [x, y, z] = broadSide([[xx, 0, xz], [0, yy, 0], [xz, 0, zz]], [1, 1, 1]);
    assertNear((Math.atan2(y, x) * 180) / Math.PI, azimuth, 1e-12, 'azimuth');
    assertNear((Math.asin(z) * 180) / Math.PI, elevation, 1e-12, 'elevation');
  }
  const flipped = (name, low, flip = 'auto') => new DisplaySpace({ lower: [0, 0, low], upper: [1, 1, 1] }, 'auto', flip, name).flipped;
  assert.deepEqual([flipped('depth', 0), flipped('depth', -3), flipped('z', 0), flipped('depth', 0, 'up'), flipped('z', 0, 'down')],
    [true, false, false, false, true]);
});

test('the page begins with the defaults of skde-view', async () => {
  const page = await openPage(env);
  await page.locator('#hint').waitFor();
  const { opacities, shading, logarithmic, colours } = numbers.default;
  assert.deepEqual([await page.inputValue('#opacities'), await page.isChecked('#shading'), await page.inputValue('#axis'), await page.inputValue('#colours')],
    [opacities, shading, logarithmic ? 'logarithmic' : 'linear', colours]);
});

// An address that skde-view shares opens the same picture on the page.

const [WIDTH, HEIGHT] = [440, 320], VOLUME = WIDTH - 112;  // beside the colour bar

/// Numbers of a linear congruential generator, from -1 to 1 with the greatest density at 0.
function* noise() {
  let seed = 4711;
  const next = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  for (;;) yield next() + next() + next() - 1.5;
}

function rowsOf(count, place) {
  const random = noise();
  const rows = Array.from({ length: count }, (_, i) => place(i, () => random.next().value).map((value) => value.toFixed(5)).join(','));
  return ['x,y,z', ...rows].join('\n');
}

/// Three groups as of iris: one apart, two beside each other.
const groups = () => rowsOf(150, (i, random) => [[5, 3.4, 1.5], [5.9, 2.8, 4.3], [6.6, 3, 5.5]][i % 3].map((middle, axis) => middle + random() * [0.5, 0.4, 0.4][axis]));
const forest = () => execFileSync(process.env.SKDE_PROGRAM, ['generate', 'forest', '--samples', '4000', '--seed', '7', '--quiet', '-o', join(env.folder, 'forest.csv')]) && readFileSync(join(env.folder, 'forest.csv'));
/// Lines between knots.
const filaments = () => rowsOf(1500, (i, random) => {
  const [from, to] = [[0, 0, 0], [8, 2, 3], [3, 7, 9], [9, 8, 1], [1, 9, 2], [0, 0, 0]].slice(i % 5, (i % 5) + 2);
  return from.map((value, axis) => value + (to[axis] - value) * ((i * 0.618) % 1) + 0.15 * random());
});

/// Of each cloud: its file, the text of that, and flags. None has warnings on its picture.
const stored = (path) => [basename(path), () => readFileSync(new URL(`../../${path}`, import.meta.url))];
const CLOUDS = [
  [...stored('data/quakes.csv'), '--columns long,lat,depth --flip z'],
  ['iris.csv', groups, '--points'],
  ['forest.csv', forest, '--mode maximum'],
  [...stored('tests/view_program/golden/mixture.csv'), '--theme light --min-width 0'],
  ['filaments.csv', filaments, '--mode isosurface --mass 0.5,0.75,0.95'],
  ['balls.csv', blobFile, '--bandwidth 0.8 --camera 20,35,1.3'],
  ['cut.csv', blobFile, '--bandwidth 0.8 --mode isosurface --mass 0.5,0.9 --clip-box=-9,-9,-9:4.2,9,0.15'],
];

/// Draws in software, as the page's browser does.
function drawn(file, flags) {
  const picture = `${file}.png`;
  const out = execFileSync(process.env.SKDE_VIEW, [file, '--dims', '48', '--size', `${WIDTH}x${HEIGHT}`, ...flags,
    '--screenshot', picture, `--share=${env.address}`], { env: { ...process.env, LIBGL_ALWAYS_SOFTWARE: '1' }, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return { address: out.split('\n').find((line) => line.startsWith(env.address)), picture: readFileSync(picture) };
}

/// Makes the stage of the page as large as the picture, without texts.
const STAGE = `#stage { position: fixed; inset: 0 auto auto 0; z-index: 1; width: ${WIDTH}px; height: ${HEIGHT}px }
#busy, #message, #probe-reading { visibility: hidden !important }`;

for (const [name, text, flags] of CLOUDS)
  test(`page and viewer draw the same: ${name}`, async () => {
    writeFileSync(join(env.folder, name), text());
    const { address, picture } = drawn(join(env.folder, name), [...flags.split(' '), '--decorations', /clip-box|points/.test(flags) ? 'none' : 'axes']);
    await addCloud(env, text(), name);
    const light = flags.includes('light');
    const page = await openPage(env, `${address.split('#')[1]}&slices=0`, { colorScheme: light ? 'light' : 'dark', script: keepTexts });
    await settled(page);
    await page.evaluate(() => (window.texts = []));
    await page.addStyleTag({ content: STAGE });
    await settled(page);
    const texts = await page.evaluate(() => window.texts);
    await page.addStyleTag({ content: '#overlay { visibility: hidden }' });
    const shot = await page.locator('#stage').screenshot();
    const [one, other] = [await decodedPixels(env, shot), await decodedPixels(env, picture)];
    assert.deepEqual([one.width, one.height], [WIDTH, HEIGHT]);
    // Left out are texts, and the outline of a clip box: which of two lines is in front where they meet is chance.
    const isMark = (at) => [at, at - 4, at + 4, at - 4 * WIDTH, at + 4 * WIDTH].some((i) => [one, other].some(({ data }) => data[i] > data[i + 1] + 25));
    const isText = (x, y) => x >= VOLUME || texts.some(([left, top, wide]) => x > left - 4 && x < left + wide + 4 && Math.abs(y - top) < 12);
    let [largest, shown] = [0, 0];
    for (let pixel = 0; pixel < WIDTH * HEIGHT; ++pixel) {
      if (isText(pixel % WIDTH, Math.floor(pixel / WIDTH)) || isMark(4 * pixel)) continue;
      const apart = [0, 1, 2].map((channel) => Math.abs(one.data[4 * pixel + channel] - other.data[4 * pixel + channel]));
      largest = Math.max(largest, ...apart);
      if (contrastAt(other, pixel) > 24) ++shown;
    }
    assert.ok(shown > 1000, `${shown} pixels show something`);
    assert.ok(largest <= 3, `differs by ${largest} of 255`);
  });
