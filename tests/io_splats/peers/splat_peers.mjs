// What the exchanges with other programs share: running them and skde, and reading splats as columns of numbers.

import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const packages = process.env.SKDE_SPLAT_PEERS;
const tool = path.join(packages, 'node_modules', '@playcanvas', 'splat-transform', 'bin', 'cli.mjs');

/** Why the peers cannot be asked; false where they can. */
export const missing = fs.existsSync(tool) ? false : 'SKIPPED: the packages of npm are not installed';
if (missing) console.log(missing);

/** A folder that is removed when the program ends. */
export function temporaryFolder() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'skde-splats-'));
  process.on('exit', () => fs.rmSync(folder, {recursive: true, force: true}));
  return folder;
}

function run(program, args) {
  const result = spawnSync(program, args, {encoding: 'utf8'});
  if (result.status !== 0)
    throw new Error(`${program} ${args.join(' ')}: exit code ${result.status}\n${result.stdout}${result.stderr}`);
  return result.stdout;
}

/** Runs skde. */
export const skde = (...args) => run(process.env.SKDE, args);
/** Runs splat-transform, on the CPU. */
export const splatTransform = (...args) => run(process.execPath, [tool, '-q', '-w', '-g', 'cpu', ...args]);
/** Imports a package of npm that is installed for these tests. */
export const imported = name => import(path.join(packages, 'node_modules', name));

/** The columns of a binary PLY file of floats: {count, NAME: Float32Array}. */
export function readPly(file) {
  const bytes = fs.readFileSync(file);
  const end = bytes.indexOf('end_header\n') + 'end_header\n'.length;
  const lines = bytes.toString('latin1', 0, end).split('\n');
  const count = Number(lines.find(line => line.startsWith('element vertex ')).split(' ')[2]);
  const names = lines.filter(line => line.startsWith('property float ')).map(line => line.split(' ')[2]);
  if (bytes.length - end !== 4 * count * names.length) throw new Error(`${file}: not a PLY file of floats alone`);
  const columns = {count};
  names.forEach((name, column) => {
    columns[name] = Float32Array.from({length: count}, (_, i) => bytes.readFloatLE(end + 4 * (i * names.length + column)));
  });
  return columns;
}

/** Writes columns as such a file. */
export function writePly(file, {count, ...columns}) {
  const names = Object.keys(columns);
  const head = Buffer.from(['ply', 'format binary_little_endian 1.0', `element vertex ${count}`,
                            ...names.map(name => `property float ${name}`), 'end_header', ''].join('\n'));
  const rows = Buffer.alloc(4 * count * names.length);
  names.forEach((name, column) => {
    for (let i = 0; i < count; ++i) rows.writeFloatLE(columns[name][i], 4 * (i * names.length + column));
  });
  fs.writeFileSync(file, Buffer.concat([head, rows]));
}

/** The columns of a PLY file of splats that were drawn at random from a seed, with harmonics of so many bands. */
export function randomSplats(count, bands, seed) {
  let state = seed;
  const uniform = () => {  // Park and Miller, Communications of the ACM 31(10), 1988
    state = state * 48271 % 2147483647;
    return 2 * state / 2147483647 - 1;
  };
  const column = make => Float32Array.from({length: count}, make);
  const splats = {count};
  for (const axis of ['x', 'y', 'z']) splats[axis] = column(() => 20 * uniform());
  for (let i = 0; i < 3; ++i) splats[`f_dc_${i}`] = column(() => 1.5 * uniform());
  for (let i = 0; i < 3 * bands * (bands + 2); ++i) splats[`f_rest_${i}`] = column(() => 0.3 * uniform());
  splats.opacity = column(() => 4 * uniform());
  for (let i = 0; i < 3; ++i) splats[`scale_${i}`] = column(() => -3 + 2 * uniform());
  const turns = Array.from({length: count}, () => {
    const q = [uniform(), uniform(), uniform(), uniform()];
    const norm = Math.hypot(...q);
    return q.map(part => part / norm);
  });
  for (let i = 0; i < 4; ++i) splats[`rot_${i}`] = column((_, row) => turns[row][i]);
  return splats;
}
