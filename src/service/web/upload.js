// Uploads a file: a small one in one request, a large one by tus 1.0, which continues after a
// broken connection. Uses XMLHttpRequest, as fetch does not report the progress of uploads.

import { Problem } from './api.js';

const LARGE = 64 * 2 ** 20;
const PIECE = 16 * 2 ** 20;
const ATTEMPTS = 6;

function send(api, method, path, body, headers, onSent, signal) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, path);
    for (const [name, value] of Object.entries({ ...api.headers(), ...headers })) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => onSent(event.loaded);
    request.onerror = () => reject(new Problem(0, { detail: 'the connection to the service broke' }));
    request.onabort = () => reject(new DOMException('cancelled', 'AbortError'));
    request.onload = () => {
      if (request.status < 300) return resolve(request);
      let problem = {};
      try {
        problem = JSON.parse(request.responseText);
      } catch {
        // A proxy before the service may answer in another format.
      }
      reject(new Problem(request.status, problem));
    };
    signal?.addEventListener('abort', () => request.abort());
    request.send(body);
  });
}

async function sendByTus(api, file, onShare, signal) {
  const tus = { 'Tus-Resumable': '1.0.0' };
  const name = btoa(String.fromCharCode(...new TextEncoder().encode(file.name)));
  const created = await send(api, 'POST', '/uploads', null,
    { ...tus, 'Upload-Length': file.size, 'Upload-Metadata': `filename ${name}` }, () => {}, signal);
  const path = new URL(created.getResponseHeader('Location'), location.href).pathname;
  let offset = 0;
  for (let attempt = 0; offset < file.size;) {
    try {
      const answer = await send(api, 'PATCH', path, file.slice(offset, offset + PIECE),
        { ...tus, 'Upload-Offset': offset, 'Content-Type': 'application/offset+octet-stream' },
        (sent) => onShare((offset + sent) / file.size), signal);
      offset = Number(answer.getResponseHeader('Upload-Offset'));
      attempt = 0;
    } catch (error) {
      const passing = error instanceof Problem && (error.status === 0 || error.status === 409 || error.status === 503);
      if (!passing || ++attempt > ATTEMPTS) throw error;
      await new Promise((done) => setTimeout(done, 250 * 2 ** attempt));
      const head = await send(api, 'HEAD', path, null, tus, () => {}, signal).catch(() => null);
      offset = Number(head?.getResponseHeader('Upload-Offset') ?? offset);
    }
  }
  return path.split('/').pop();
}

/// Returns the ID of the new cloud; calls `onShare` with the uploaded share.
export async function uploadCloud(api, file, onShare, signal) {
  if (file.size > LARGE) return sendByTus(api, file, onShare, signal);
  const path = `/clouds?name=${encodeURIComponent(file.name)}`;
  const type = { 'Content-Type': 'application/octet-stream' };
  const answer = await send(api, 'POST', path, file, type, (sent) => onShare(sent / file.size), signal);
  return JSON.parse(answer.responseText).id;
}
