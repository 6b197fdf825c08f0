import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { addCloud, blobFile, browserTests, call, difference, openPage, openSettled, settled, viewPixels } from './browser_page.mjs';

const env = browserTests();

function assertAlike(pixels, before) {
  const share = difference(pixels, before);
  assert.ok(share < 0.002, `${share} of the picture differs`);
}

test('a reload, and the link in another tab, show the same view', async () => {
  const cloud = await addCloud(env, blobFile());
  const page = await openSettled(env, `cloud=${cloud}&cells=64`);
  const first = await viewPixels(env, page);
  const at = (id) => page.locator(`#${id}`);
  await at('mode').selectOption('maximum');
  await at('colours').selectOption('inferno');
  await at('kernel').selectOption('gaussian');
  await at('sharpen').check();
  await at('bandwidth').focus();
  for (let i = 0; i < 5; ++i) await page.keyboard.press('ArrowRight');
  await at('view').focus();
  for (const key of ['ArrowLeft', 'ArrowUp', '+']) await page.keyboard.press(key);
  await settled(page);
  await at('bandwidth').focus();
  assert.ok(difference(await viewPixels(env, page), first) > 0.05, 'the controls change the picture');
  const before = await viewPixels(env, page);
  const facts = await page.textContent('#facts');
  const link = page.url();
  assert.ok(!link.includes(env.token), 'a link that is passed on has no token in it');
  await page.reload();
  await settled(page);
  assert.equal(page.url(), link);
  for (const [id, value] of [['mode', 'maximum'], ['colours', 'inferno'], ['kernel', 'gaussian'], ['cells', '64']])
    assert.equal(await at(id).inputValue(), value);
  assert.ok(await at('sharpen').isChecked());
  assert.equal(await page.textContent('#facts'), facts);
  assertAlike(await viewPixels(env, page), before);
  const other = await openSettled(env, link.split('#')[1]);
  assertAlike(await viewPixels(env, other), before);
});

test('an address that names a file shows its view once the file is there', async () => {
  const page = await openPage(env, 'file=late.csv&cells=64&mode=maximum&camera=0,0,4,0,0,0,0,1,0');
  await page.getByText('late.csv: drop it here').waitFor();
  await page.setInputFiles('#file', { name: 'late.csv', mimeType: 'text/csv', buffer: Buffer.from(blobFile()) });
  await settled(page);
  assert.equal(await page.inputValue('#mode'), 'maximum');
  assert.match(page.url(), /camera=0,0,4,0,0,0,0,1,0/);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.locator('#share').click();
  await page.getByText('Copied').waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), page.url());
});

test('without a token the page asks for one', async () => {
  const page = await env.browser.newPage();
  await page.goto(`${env.address}view`);
  await page.locator('#token').waitFor();
  await page.keyboard.type(env.token);
  await page.keyboard.press('Enter');
  await page.locator('#hint').waitFor();
  assert.equal(await page.locator('#token-form').isVisible(), false);
  await page.close();
});

test('volume, mesh and picture can be kept', async () => {
  const cloud = await addCloud(env, blobFile());
  const page = await openSettled(env, `cloud=${cloud}&cells=64&mode=surfaces&masses=0.95`);
  const kept = {};
  for (const id of ['save-volume', 'save-mesh', 'save-picture']) {
    const coming = page.waitForEvent('download');
    await page.locator(`#${id}`).click();
    const download = await coming;
    kept[download.suggestedFilename()] = readFileSync(await download.path());
  }
  assert.deepEqual(Object.keys(kept), ['blobs.nrrd', 'blobs-95.ply', 'blobs.png']);
  assert.equal(kept['blobs.nrrd'].subarray(0, 4).toString(), 'NRRD');
  assert.equal(kept['blobs-95.ply'].subarray(0, 3).toString(), 'ply');
  assert.ok(kept['blobs.png'].length > 5000);
});

test('the policy that the page came with lets no other script in', async () => {
  const policy = (await call(env, 'view')).headers.get('content-security-policy');
  assert.match(policy, /default-src 'none'/);
  assert.equal(/script-src ([^;]*)/.exec(policy)[1], "'self'");
  const page = await openPage(env);
  page.refuses = /Content Security Policy/;
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.let_in = true';
    document.body.append(script);
  });
  assert.equal(await page.evaluate(() => window.let_in), undefined);
});
