import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { blobFile, browserTests, call } from './browser_page.mjs';

const tus = createRequire(process.env.SKDE_WEB_PACKAGES)('tus-js-client');
const env = browserTests();

/// Relays to the service, and breaks the first connection that has sent more than this many bytes.
async function brittleRelay(bytes) {
  const relay = { broken: 0 };
  const { hostname, port } = new URL(env.address);
  const server = createServer((client) => {
    const service = connect(Number(port), hostname);
    let seen = 0;
    client.on('data', (piece) => {
      seen += piece.length;
      if (relay.broken === 0 && seen > bytes) {
        ++relay.broken;
        client.destroy();
        service.destroy();
      }
    });
    client.pipe(service).pipe(client);
    for (const socket of [client, service]) socket.on('error', () => {});
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  relay.address = `http://127.0.0.1:${server.address().port}/`;
  relay.close = () => server.close();
  return relay;
}

function upload(endpoint, bytes, options = {}) {
  return new Promise((resolve, reject) => {
    const sending = new tus.Upload(bytes, {
      endpoint, headers: { Authorization: `Bearer ${env.token}` }, metadata: { filename: 'sent.csv' },
      uploadSize: bytes.length, retryDelays: [50, 100, 200], onError: reject, onSuccess: () => resolve(sending), ...options,
    });
    sending.start();
  });
}

async function bytesOf(id) {
  return Buffer.from(await (await call(env, `clouds/${id}/content`)).arrayBuffer());
}

const large = Buffer.from(`${blobFile()}\n`.repeat(500));  // some 20 MiB

test('tus-js-client sends a file, in one piece and in several', async () => {
  for (const chunkSize of [Infinity, 1 << 20]) {
    const { url } = await upload(`${env.address}uploads`, large, { chunkSize });
    assert.ok((await bytesOf(url.split('/').at(-1))).equals(large));
  }
});

test('behind a connection that breaks it goes on with what is missing', async () => {
  const relay = await brittleRelay(5 << 20);
  const sent = [];
  const { url } = await upload(`${relay.address}uploads`, large, {
    onAfterResponse: (request) => sent.push(request.getMethod()),
  });
  relay.close();
  assert.equal(relay.broken, 1);
  assert.ok(sent.includes('HEAD'), 'it asks how much has arrived');
  assert.ok((await bytesOf(url.split('/').at(-1))).equals(large));
});

test('what it terminates is gone', async () => {
  let url;
  const sending = new tus.Upload(large, {
    endpoint: `${env.address}uploads`, headers: { Authorization: `Bearer ${env.token}` }, uploadSize: large.length,
    chunkSize: 1 << 20, onChunkComplete: async () => {
      url ??= sending.url;
    },
  });
  sending.start();
  while (!url) await new Promise((wait) => setTimeout(wait, 10));
  await sending.abort(true);
  const { status } = await fetch(url, { method: 'HEAD', headers: { Authorization: `Bearer ${env.token}`, 'Tus-Resumable': '1.0.0' } });
  assert.equal(status, 404);
});
