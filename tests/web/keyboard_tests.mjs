import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addCloud, blobFile, browserTests, call, openPage, openSettled, settled } from './browser_page.mjs';

const env = browserTests();

const focused = (page) => page.evaluate(() => {
  const { id, tagName, type, value, checked, ariaLabel } = document.activeElement;
  return { id, tag: tagName, type, value, checked, label: ariaLabel };
});

test('Tab reaches every control in the order that they stand in, and each has a name', async () => {
  const cloud = await addCloud(env, blobFile());
  const page = await openSettled(env, `cloud=${cloud}&cells=32`);
  const wanted = await page.evaluate(() => {
    const all = [...document.querySelectorAll('button, select, input, summary, [tabindex="0"]')].filter((element) => element.checkVisibility());
    all.forEach((element, i) => (element.dataset.place = i));
    return all.map((element) => element.id || element.ariaLabel || element.textContent);
  });
  assert.ok(wanted.length > 30, `${wanted.length} controls`);
  const places = [];
  for (let i = 0; i < wanted.length; ++i) {
    await page.keyboard.press('Tab');
    places.push(Number(await page.evaluate(() => document.activeElement.dataset.place)));
  }
  assert.deepEqual(places, [...wanted.keys()]);
  const nameless = await page.evaluate(() => [...document.querySelectorAll('button, select, input, canvas[tabindex]')]
    .filter((element) => element.checkVisibility() && !element.labels?.length && !element.ariaLabel && !element.textContent.trim()).map((element) => element.outerHTML));
  assert.deepEqual(nameless, []);
});

test('every slider, choice and switch is changed by keys', async () => {
  const cloud = await addCloud(env, blobFile());
  const page = await openSettled(env, `cloud=${cloud}&cells=32`);
  const shown = () => page.locator('#controls input:visible, #controls select:visible').count();
  const count = await shown();
  await page.locator('#bandwidth').focus();
  let changed = 0;
  for (let i = 0; i < count + 3; ++i) {
    const before = await focused(page);
    if (before.type === 'checkbox') await page.keyboard.press('Space');
    else if (before.type === 'range') await page.keyboard.press(Number(before.value) > 0.5 ? 'ArrowLeft' : 'ArrowRight');
    else if (before.tag === 'SELECT') {
      await page.keyboard.press('ArrowDown');
      if ((await focused(page)).value === before.value) await page.keyboard.press('ArrowUp');
    }
    const now = await focused(page);
    if (['checkbox', 'range', 'select-one'].includes(before.type)) {
      assert.ok(now.value !== before.value || now.checked !== before.checked, `${before.id || before.label} stays`);
      ++changed;
    }
    await page.waitForTimeout(50);
    await page.keyboard.press('Tab');
  }
  // Opacities are hidden in the other mode that was chosen.
  assert.equal(changed, await shown());
  assert.ok(changed > 20, `${changed} changed`);
  page.refuses = /422/;  // some columns give no cloud or no weights
});

test('a file is opened, the view turned, the cross-hair moved and a picture kept by keys alone', async () => {
  const page = await openPage(env, 'cells=32');
  await page.locator('#view canvas').waitFor();
  const choosing = page.waitForEvent('filechooser');
  await page.waitForTimeout(300);  // until the browser redirects its dialogs; no event tells
  await page.keyboard.press('o');
  await (await choosing).setFiles({ name: 'keys.csv', mimeType: 'text/csv', buffer: Buffer.from(blobFile()) });
  await settled(page);
  await page.keyboard.press('v');
  assert.equal((await focused(page)).id, 'view');
  const camera = async () => new URLSearchParams(new URL(page.url()).hash.slice(1)).get('camera');
  const seen = new Set([await camera()]);
  for (const key of ['ArrowLeft', 'ArrowUp', '+', '-', 'x', 'y', 'z', 'Home']) {
    await page.keyboard.press(key);
    await page.waitForTimeout(300);
    if (key !== '-') assert.ok(!seen.has(await camera()), `${key} moves nothing`);
    seen.add(await camera());
  }
  await page.locator('#plane-z').focus();
  const value = await page.textContent('#value');
  for (let i = 0; i < 8; ++i) await page.keyboard.press('ArrowRight');
  assert.notEqual(await page.textContent('#value'), value);
  const coming = page.waitForEvent('download');
  await page.keyboard.press('p');
  assert.equal((await coming).suggestedFilename(), 'keys.png');
});

/// Opens a page whose density takes long enough to be cancelled.
async function pageOfLongJob() {
  let seed = 7;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  const rows = ['x,y,z'];
  for (let i = 0; i < 200000; ++i) rows.push([random(), random(), random()].map((value) => value.toFixed(5)).join(','));
  const cloud = await addCloud(env, rows.join('\n'), 'many.csv');
  const page = await openPage(env, `cloud=${cloud}&cells=256&kernel=triweight&bandwidth=2`);
  await page.waitForFunction(() => document.getElementById('stage').dataset.shown === 'preview' &&
    !document.getElementById('busy').hidden, null, { timeout: 60000 });
  return page;
}

async function assertDismissed(page) {
  await page.waitForFunction(() => document.getElementById('stage').ariaBusy === 'false', null, { timeout: 5000 });
  const { jobs } = await (await call(env, 'jobs?limit=1')).json();
  await page.waitForTimeout(500);
  const status = await (await call(env, `jobs/${jobs[0].jobID}`)).json();
  assert.equal(status.status, 'dismissed');
}

test('Escape cancels the job that runs', async () => {
  const page = await pageOfLongJob();
  await page.keyboard.press('Escape');
  await assertDismissed(page);
});

test('so does the button beside the job in the list', async () => {
  const page = await pageOfLongJob();
  await page.locator('#jobs button').focus();
  await page.keyboard.press('Enter');
  await assertDismissed(page);
});
