// The HTTP interface of the service: requests with the token, answers or problems (RFC 9457), job
// events.

export class Problem extends Error {
  constructor(status, body) {
    super(body.detail || body.title || `the service answered ${status}`);
    this.status = status;
    this.parameter = body.parameter || '';
    this.suggestion = body.suggestion || '';
  }
}

async function problemOf(response) {
  try {
    return new Problem(response.status, await response.json());
  } catch {
    return new Problem(response.status, {});
  }
}

export class Api {
  constructor(token) {
    this.token = token;
  }

  headers() {
    return { Authorization: `Bearer ${this.token}` };
  }

  async request(path, { method = 'GET', headers = {}, body, signal } = {}) {
    const response = await fetch(path, { method, headers: { ...this.headers(), ...headers }, body, signal });
    if (!response.ok) throw await problemOf(response);
    return response;
  }

  async json(path, options) {
    return (await this.request(path, options)).json();
  }

  async bytes(path, options) {
    return (await this.request(path, options)).arrayBuffer();
  }

  remove(path) {
    return this.request(path, { method: 'DELETE' });
  }

  /// Runs a process, waits for it, and returns its only output.
  run(process, inputs, output, signal) {
    const body = JSON.stringify({ inputs, outputs: { [output]: {} }, response: 'raw' });
    return this.request(`/processes/${process}/execution`, { method: 'POST', body, signal });
  }

  /// Posts a job and returns its status.
  post(process, inputs, output, signal) {
    const body = JSON.stringify({ inputs, outputs: { [output]: {} }, response: 'raw' });
    const headers = { Prefer: 'respond-async' };
    return this.json(`/processes/${process}/execution`, { method: 'POST', headers, body, signal });
  }

  /// Calls `onStatus` with every status of a job, and returns the last one. Uses fetch, as
  /// EventSource sends no token; after a broken connection it continues with the next event.
  async follow(job, onStatus, signal) {
    let last = '';
    let status = null;
    for (let attempt = 0; attempt < 5; ++attempt) {
      const headers = last ? { 'Last-Event-ID': last } : {};
      try {
        const response = await this.request(`/jobs/${job}/events`, { headers, signal });
        if (response.status === 204) break;
        for await (const event of eventsOf(response.body)) {
          last = event.id || last;
          status = JSON.parse(event.data);
          onStatus(status);
        }
        if (status && hasEnded(status)) return status;
      } catch (error) {
        if (error.name === 'AbortError' || error instanceof Problem) throw error;
        await new Promise((done) => setTimeout(done, 300 * 2 ** attempt));
      }
    }
    return this.json(`/jobs/${job}`, { signal });
  }
}

export function hasEnded(status) {
  return ['successful', 'failed', 'dismissed'].includes(status.status);
}

async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += value;
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = {};
      for (const line of text.slice(0, end).split('\n')) {
        const colon = line.indexOf(':');
        if (colon > 0) event[line.slice(0, colon)] = line.slice(colon + 1).trimStart();
      }
      text = text.slice(end + 2);
      if (event.data) yield event;
    }
  }
}
