// .sog: splat-transform, the format's reference program, reads what skde writes, and skde what it writes.

import assert from 'node:assert/strict';
import path from 'node:path';
import {test} from 'node:test';
import {missing, randomSplats, readPly, skde, splatTransform, temporaryFolder, writePly} from './splat_peers.mjs';

const folder = missing ? '' : temporaryFolder();
const at = name => path.join(folder, name);
const counts = {0: 3000, 1: 700, 2: 700, 3: 1500};
const input = band => at(`in${band}.ply`);
if (!missing) for (const band in counts) writePly(input(band), randomSplats(counts[band], Number(band), 23));

const share = logit => 1 / (1 + Math.exp(-logit));
const stored = x => Math.sign(x) * Math.log1p(Math.abs(x));

/** Asserts that columns whose names begin so differ by at most a bound, after a function of their values. */
function assertNear(a, b, start, bound, value = x => x) {
  assert.equal(a.count, b.count);
  for (const name of Object.keys(a).filter(column => column.startsWith(start)))
    for (let i = 0; i < a.count; ++i)
      assert.ok(Math.abs(value(a[name][i]) - value(b[name][i])) <= bound,
                `${name} of splat ${i}: ${a[name][i]}, ${b[name][i]}`);
}

/** Both programs read the same from a file; returns that. */
function readByBoth(file) {
  skde('convert', file, '-o', at('ours.ply'));
  splatTransform(file, at('theirs.ply'));
  const ours = readPly(at('ours.ply')), theirs = readPly(at('theirs.ply'));
  assert.deepEqual(Object.keys(ours).sort(), Object.keys(theirs).sort());
  for (const start of ['x', 'y', 'z']) assertNear(ours, theirs, start, 1e-5);
  for (const start of ['f_', 'scale', 'rot']) assertNear(ours, theirs, start, 1e-6);
  assertNear(ours, theirs, 'opacity', 1e-5);
  return ours;
}

const root = list => Math.sqrt(list.reduce((sum, x) => sum + x * x, 0) / list.length);

/** Asserts that values chosen from 256 differ by no more than equal steps would, on average. */
function assertCodebook(given, read, start, slack = 1) {
  const names = Object.keys(given).filter(name => name.startsWith(start));
  const values = names.flatMap(name => [...given[name]]), others = names.flatMap(name => [...read[name]]);
  const step = (Math.max(...values) - Math.min(...values)) / 255;
  const error = root(values.map((value, i) => value - others[i]));
  assert.ok(error <= slack * step / Math.sqrt(12), `${start}: ${error} for steps of ${step}`);
}

for (const band of Object.keys(counts)) {
  test(`splat-transform reads .sog of skde, ${band} bands`, {skip: missing}, () => {
    skde('convert', input(band), '-o', at('a.sog'), '--order', 'given');
    const given = readPly(input(band)), read = readByBoth(at('a.sog'));
    // Half of each step: ln(1 + 20) is the most of a coordinate.
    for (const axis of ['x', 'y', 'z']) assertNear(given, read, axis, stored(20) / 65535 + 1e-6, stored);
    assertNear(given, read, 'opacity', 0.501 / 255, share);
    assertCodebook(given, read, 'scale');
    assertCodebook(given, read, 'f_dc');
    if (counts[band] < 1024) assertCodebook(given, read, 'f_rest');
    for (let i = 0; i < given.count; ++i) {
      const dot = [0, 1, 2, 3].reduce((sum, k) => sum + given[`rot_${k}`][i] * read[`rot_${k}`][i], 0);
      assert.ok(Math.abs(dot) > 1 - 0.5 * 0.0097 ** 2, `rotation of splat ${i}: ${dot}`);
    }
  });
  test(`skde reads .sog of splat-transform, ${band} bands`, {skip: missing}, () => {
    splatTransform(input(band), at('b.sog'));
    const read = readByBoth(at('b.sog')), given = readPly(input(band));
    for (const axis of ['x', 'y', 'z']) {  // in another order
      const sorted = splats => ({count: splats.count, [axis]: splats[axis].slice().sort()});
      assertNear(sorted(given), sorted(read), axis, 2 * stored(20) / 65535 + 1e-6, stored);
    }
  });
}

test('splat-transform reads .sog of skde in every order', {skip: missing}, () => {
  skde('convert', input(0), '-o', at('c.sog'));
  skde('convert', input(0), '-o', at('d.sog'), '--order', 'organised');
  for (const file of ['c.sog', 'd.sog']) {
    const read = readByBoth(at(file)), given = readPly(input(0));
    const sorted = splats => ({count: splats.count, x: splats.x.slice().sort()});
    assertNear(sorted(given), sorted(read), 'x', stored(20) / 65535 + 1e-6, stored);
  }
});
