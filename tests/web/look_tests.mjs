// The page shows densities as skde-view does: the same numbers, and the same picture.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { MassLevels } from '../../src/service/web/mass_levels.js';
import { broadSide } from '../../src/service/web/camera.js';
import { DisplaySpace, UNLIKE } from '../../src/service/web/display_space.js';
import { axisCaption, chooseTicks, densityUnit, valueTicks } from '../../src/service/web/number_text.js';
import { axisUpTo, opacitiesByMass, opacityAt, presetFor, PRESETS, shareOf, shellMasses, valueAt } from '../../src/service/web/transfer_function.js';
import { addCloud, blobFile, browserTests, call, decodedPixels, openPage, settled, viewPixels } from './browser_page.mjs';

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

test('opacities are those of skde-view, and so is what is chosen at first', () => {
  assert.deepEqual(Object.keys(PRESETS), Object.keys(numbers.presets));
  for (const [name, opacities] of Object.entries(numbers.presets))
    opacities.forEach((opacity, i) => assert.ok(Math.abs(opacityAt(PRESETS[name], (i - 2) / steps) - opacity) < 1e-12, `${name} at ${(i - 2) / steps}`));
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

/// Returns the mean distance of the colours of blocks of 8 x 8 pixels where the first picture shows
/// something, if the other is shifted to the left, and how many there are.
function distanceOf(one, other, shift) {
  const mean = ({ data, width }, left, top) => [0, 1, 2].map((channel) => {
    let sum = 0;
    for (let i = 0; i < 64; ++i) sum += data[4 * ((top + (i >> 3)) * width + left + (i & 7)) + channel] / 64;
    return sum;
  });
  let [sum, count] = [0, 0];
  for (let top = 0; top + 8 <= one.height; top += 8)
    for (let left = 80; left + 8 <= one.width; left += 8) {
      const shown = mean(one, left, top);
      if (Math.max(...shown) < 60) continue;
      const there = mean(other, left - shift, top);
      sum += Math.hypot(...shown.map((part, i) => part - there[i]));
      ++count;
    }
  return { mean: sum / count, count, shift };
}

const WHOLE = [0, 0, 0, 1, 1, 1], SURFACES = ['--mode', 'isosurface', '--mass', '0.5,0.75,0.95'];
for (const [mode, flags, clip] of [['composite', [], WHOLE], ['maximum', ['--mode', 'maximum'], WHOLE], ['surfaces', SURFACES, WHOLE],
  ['surfaces', SURFACES, [0, 0, 0, 0.5, 1, 0.7]]])
  test(`a picture of the page is that of skde-view: ${mode} in ${clip}`, async () => {
    const cloud = await addCloud(env, blobFile());
    const [azimuth, elevation] = [-35, 30];
    const info = await (await call(env, `clouds/${cloud}`)).json();
    const { lower, upper } = info.suggested.auto.grid.bounds;
    const sides = upper.map((value, axis) => value - lower[axis]);
    const radius = Math.hypot(...sides) / 2 / Math.max(...sides);
    const distance = radius / Math.sin((15 * Math.PI) / 180);
    const [a, e] = [azimuth, elevation].map((degrees) => (degrees * Math.PI) / 180);
    const eye = [Math.cos(e) * Math.cos(a), Math.cos(e) * Math.sin(a), Math.sin(e)].map((part) => part * distance);
    // Wide enough for skde-view to leave its picture's scale to the height.
    const page = await openPage(env, `cloud=${cloud}&mode=${mode}&clip=${clip}&slices=0&shape=true&cells=144&camera=${eye.join()},0,0,0,0,0,1`,
      { viewport: { width: 1284, height: 520 } });
    await settled(page);
    const pixels = await viewPixels(env, page);
    const file = join(env.folder, 'blobs.csv');
    const faces = clip.map((share, i) => lower[i % 3] + share * sides[i % 3]);
    const picture = join(env.folder, `${mode}.png`);
    writeFileSync(file, blobFile());
    execFileSync(process.env.SKDE_VIEW, [file, '--view', 'volume', '--proportions', 'true', '--dims', '144', '--camera', `${azimuth},${elevation},1`,
      '--size', `${pixels.width}x${pixels.height}`, '--screenshot', picture, ...flags,
      ...(clip === WHOLE ? [] : [`--clip-box=${faces.slice(0, 3)}:${faces.slice(3)}`, '--decorations', 'bar'])], { stdio: 'ignore' });
    // skde-view leaves some room for its colour bar at the right.
    const other = await decodedPixels(env, readFileSync(picture));
    const all = Array.from({ length: 81 }, (_, shift) => distanceOf(pixels, other, shift));
    const { mean, count, shift } = all.reduce((best, now) => (now.mean < best.mean ? now : best));
    assert.ok(count > 40, `${count} blocks`);
    // skde-view outlines the clip box, over some of the blocks. A hollow cut differs by 46.
    assert.ok(mean < (clip === WHOLE ? 10 : 14), `colours differ by ${mean} of 255, ${shift} pixels aside`);
  });
