// Requests densities from the service: one run at a time, only for the latest request; earlier
// results are cached.

import { hasEnded, Problem } from './api.js';
import { parseVolume } from './result_files.js';

const KEPT_BYTES = 768 * 2 ** 20;

export class Estimator {
  constructor(api, onStatus) {
    this.api = api;
    this.onStatus = onStatus;
    this.kept = new Map();
  }

  /// Returns the volume for the inputs; null if `cancel` or a later call came first.
  async volume(inputs) {
    this.cancel();
    const key = JSON.stringify(inputs);
    const kept = this.kept.get(key);
    if (kept) {
      this.keep(key, kept);
      return kept;
    }
    const run = (this.run = { stop: new AbortController(), job: null });
    try {
      const volume = await this.compute(run, inputs);
      this.keep(key, volume);
      return this.run === run ? volume : null;
    } catch (error) {
      if (error.name === 'AbortError' || this.run !== run) return null;
      throw error;
    } finally {
      if (this.run === run) this.run = null;
    }
  }

  async compute(run, inputs) {
    const { signal } = run.stop;
    let status = await this.api.post('density', inputs, 'volume');
    run.job = status.jobID;
    if (signal.aborted) {
      this.dismiss(run.job);
      signal.throwIfAborted();
    }
    this.onStatus(status);
    if (!hasEnded(status)) status = await this.api.follow(run.job, (news) => this.onStatus(news), signal);
    run.ended = true;
    this.onStatus(status);
    if (status.status === 'failed') throw new Problem(422, status.exception || { detail: 'the job failed' });
    if (status.status === 'dismissed') throw new DOMException('cancelled', 'AbortError');
    const volume = parseVolume(await this.api.bytes(`/jobs/${run.job}/results/volume`, { signal }));
    volume.job = run.job;
    volume.cached = status.cacheHit;
    return volume;
  }

  /// Stops the run, here and on the service.
  cancel() {
    const { run } = this;
    if (!run) return;
    this.run = null;
    run.stop.abort();
    if (run.job && !run.ended) this.dismiss(run.job);
  }

  dismiss(job) {
    this.api.remove(`/jobs/${job}`).catch(() => {});
  }

  keep(key, volume) {
    this.kept.delete(key);
    this.kept.set(key, volume);
    let bytes = 0;
    for (const [other, { values }] of [...this.kept].reverse()) {
      bytes += values.byteLength;
      if (bytes > KEPT_BYTES && other !== key) this.kept.delete(other);
    }
  }
}
