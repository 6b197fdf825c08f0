// Starts a service and a browser with the page, for the tests beside this file.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before } from 'node:test';

const { chromium } = createRequire(process.env.SKDE_WEB_PACKAGES)('playwright-core');
// Without a GPU, pages that draw by WebGL stay blank unless software rendering is allowed. The rest
// of the page is faster without it.
const FLAGS = ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-gpu-compositing'];

const EDGE = 4;  // width of the margin where the focus frame may be

export const VIEW_ANGLE = 30;
export const DISTANCE = 3.5;

/// Two balls of 400 points each; pictures are checked against their positions.
export const BLOBS = [[-4, -2, 0], [4, 2, 0]];

export function blobFile() {
  let seed = 12345;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648 - 0.5;
  const rows = ['x,y,z,mass'];
  for (let i = 0; i < 200; ++i) {
    const offset = [random(), random(), random()];
    // Each point has its mirror image, so that the mean is the centre. Both balls have the same
    // offsets, so that they look alike.
    for (const centre of BLOBS)
      for (const sign of [1, -1])
        rows.push([...centre.map((value, axis) => value + sign * offset[axis]), centre[0] > 0 ? 3 : 1].join(','));
  }
  return rows.join('\n');
}

/// Returns points of clusters at random places, as text.
export function randomCloud(count, clusters = 1 + Math.floor(4 * Math.random())) {
  const within = (size) => size * (Math.random() - 0.5);
  const centres = Array.from({ length: clusters }, () => [within(6), within(6), within(6)]);
  const spread = () => within(2) + within(2) + within(2);
  const rows = Array.from({ length: count }, (_, i) => centres[i % centres.length].map((value) => (value + spread()).toFixed(5)).join(','));
  return ['x,y,z', ...rows].join('\n');
}

/// Starts one service and one browser for the tests of a file. The pages of a test are closed at its
/// end, when nothing may have gone wrong in them but what `refuses` matches.
export function browserTests() {
  const env = { pages: [] };
  afterEach(async () => {
    const pages = env.pages.splice(0);
    // Requests that closing a page ends are no fault of it.
    const found = pages.map(({ wrongs, refuses }) => wrongs.filter((text) => !refuses?.test(text)));
    for (const page of pages) await page.close();
    for (const wrongs of found) assert.deepEqual(wrongs, []);
  });
  before(async () => {
    if (!process.env.SKDE_CHROMIUM) {
      console.log('SKIPPED: there is no chromium');
      process.exit(0);
    }
    env.folder = mkdtempSync(join(tmpdir(), 'skde-web-'));
    env.service = spawn(process.env.SKDE_SERVE, ['--data', env.folder, '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const line = await new Promise((resolve) => env.service.stdout.once('data', (text) => resolve(String(text))));
    [, env.address, env.token] = /(http:\S+) token (\S+)/.exec(line);
    env.browser = await chromium.launch({ executablePath: process.env.SKDE_CHROMIUM, args: FLAGS });
  });
  after(async () => {
    await env.browser?.close();
    const ended = new Promise((resolve) => env.service.once('exit', resolve));
    env.service.kill('SIGTERM');
    await ended;
    rmSync(env.folder, { recursive: true });
  });
  return env;
}

export async function call(env, path, options = {}) {
  return fetch(env.address + path, { ...options, headers: { Authorization: `Bearer ${env.token}`, ...options.headers } });
}

export async function addCloud(env, text, name = 'blobs.csv') {
  return (await (await call(env, `clouds?name=${name}`, { method: 'POST', body: text })).json()).id;
}

/// Keeps in a page the last place of each text that is drawn over the view, and all places with widths.
export function keepTexts() {
  window.drawn = new Map();
  window.texts = [];
  const fill = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (words, x, y) {
    if (this.canvas.id === 'overlay') window.drawn.set(words, [x, y]);
    window.texts.push([x, y, this.measureText(words).width]);
    fill.call(this, words, x, y);
  };
}

/// Opens a page that records everything that should not happen: errors and requests to other hosts.
export async function openPage(env, state = '', { colorScheme = 'dark', viewport = { width: 920, height: 520 }, script } = {}) {
  const page = await env.browser.newPage({ viewport, colorScheme });
  if (script) await page.addInitScript(script);
  page.wrongs = [];
  page.on('pageerror', (error) => page.wrongs.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && page.wrongs.push(message.text()));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(env.address) && !/^(blob|data):/.test(url)) page.wrongs.push(`asked for ${url}`);
  });
  env.pages.push(page);
  await page.goto(`${env.address}view#token=${env.token}&${state}`);
  return page;
}

export async function openSettled(env, state, options) {
  const page = await openPage(env, state, options);
  await settled(page);
  return page;
}

/// Returns the volume of the last job.
export async function lastVolume(env) {
  const { jobs } = await (await call(env, 'jobs?limit=1')).json();
  return (await call(env, `jobs/${jobs[0].jobID}/results/volume`)).arrayBuffer();
}

/// Waits for the full density of the current request.
export async function settled(page) {
  await page.waitForFunction(() => {
    const stage = document.getElementById('stage');
    return stage.dataset.shown === 'full' && stage.ariaBusy === 'false' && document.getElementById('view').dataset.drawn === 'whole';
  }, null, { timeout: 60000 });
  await page.waitForTimeout(200);
}

/// Returns a text of the page with the minus signs of programs.
export const plain = (text) => text.replaceAll('−', '-');

/// Returns the pixels of the view alone, as decoded by a browser.
export async function viewPixels(env, page) {
  const cover = await page.addStyleTag({ content: '#overlay, #busy, #message, #probe-reading { visibility: hidden !important }' });
  const png = await page.locator('#view').screenshot();
  await cover.evaluate((tag) => tag.remove());
  return decodedPixels(env, png);
}

/// Returns the pixels of a PNG file as r, g, b and opacity.
export async function decodedPixels(env, png) {
  env.decoder ??= await env.browser.newPage();
  const { width, height, text } = await env.decoder.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const pen = canvas.getContext('2d');
    pen.drawImage(bitmap, 0, 0);
    const { data } = pen.getImageData(0, 0, bitmap.width, bitmap.height);
    let letters = '';
    for (const byte of data) letters += String.fromCharCode(byte);
    return { width: bitmap.width, height: bitmap.height, text: btoa(letters) };
  }, png.toString('base64'));
  return { width, height, data: Buffer.from(text, 'base64') };
}

/// Returns how far a pixel is from the background, sampled near the upper left corner.
export function contrastAt({ data, width }, pixel) {
  const background = 8 * width + 8;
  let sum = 0;
  for (let channel = 0; channel < 3; ++channel) sum += Math.abs(data[4 * pixel + channel] - data[4 * background + channel]);
  return sum;
}

/// Returns mean position and number of the pixels from column `begin` to `end` that are not
/// background.
export function spot(pixels, begin, end) {
  let [x, y, count] = [0, 0, 0];
  for (let row = EDGE; row < pixels.height - EDGE; ++row)
    for (let column = Math.max(begin, EDGE); column < Math.min(end, pixels.width - EDGE); ++column)
      if (contrastAt(pixels, row * pixels.width + column) > 24) {
        x += column + 0.5;
        y += row + 0.5;
        ++count;
      }
  return { x: x / count, y: y / count, count };
}

const BLOCK = 8;

/// Returns the share of blocks whose mean colours clearly differ. Rays start at fractions of a step
/// that vary over the picture, so single pixels are noisy.
export function difference(one, other) {
  let [differing, blocks] = [0, 0];
  for (let top = 0; top + BLOCK <= one.height; top += BLOCK)
    for (let left = 0; left + BLOCK <= one.width; left += BLOCK) {
      const apart = [0, 0, 0];
      for (let i = 0; i < BLOCK * BLOCK; ++i) {
        const at = 4 * ((top + Math.floor(i / BLOCK)) * one.width + left + (i % BLOCK));
        apart.forEach((_, channel) => (apart[channel] += (one.data[at + channel] - other.data[at + channel]) / BLOCK ** 2));
      }
      if (Math.hypot(...apart) > 8) ++differing;
      ++blocks;
    }
  return differing / blocks;
}
