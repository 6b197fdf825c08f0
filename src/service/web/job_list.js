// The latest jobs of this token, with their progress and a button that cancels.

import { hasEnded } from './api.js';

const SHOWN = 8;
const PAUSE = 3000;

export class JobList {
  constructor(api, list) {
    this.api = api;
    this.list = list;
    this.jobs = new Map();
    this.update();
  }

  /// Fetches the list, and again while a job has not ended.
  async update() {
    clearTimeout(this.timer);
    try {
      const { jobs } = await this.api.json(`/jobs?limit=${SHOWN}`);
      this.jobs = new Map(jobs.map((job) => [job.jobID, job]));
      this.draw();
    } catch {
      // The next request may succeed.
    }
    const waiting = [...this.jobs.values()].some((job) => !hasEnded(job));
    if (waiting) this.timer = setTimeout(() => this.update(), PAUSE);
  }

  /// Takes a status of one job from its events.
  take(status) {
    const first = !this.jobs.has(status.jobID);
    this.jobs.set(status.jobID, status);
    this.draw();
    if (first || hasEnded(status)) this.update();
  }

  draw() {
    const newest = [...this.jobs.values()].sort((a, b) => b.created.localeCompare(a.created)).slice(0, SHOWN);
    const rows = newest.map((job) => this.rowOf(job));
    // Unchanged rows stay in place, so that a button keeps the focus and a click is not
    // interrupted.
    if (rows.length === this.list.children.length && rows.every((row, i) => row === this.list.children[i])) return;
    const focused = this.list.contains(document.activeElement) ? document.activeElement.dataset.job : '';
    this.list.replaceChildren(...rows);
    if (focused) this.list.querySelector(`button[data-job="${CSS.escape(focused)}"]`)?.focus();
  }

  /// Returns the existing row with the new status, or a new row if the job has begun or ended.
  rowOf(job) {
    const shown = [...this.list.children].find((row) => row.dataset.job === job.jobID);
    const bar = shown?.querySelector('progress');
    if (!shown || (bar && hasEnded(job))) return this.row(job);
    if (bar) {
      bar.value = job.progress;
      shown.querySelector('.state').textContent = statusText(job);
    }
    return shown;
  }

  row(job) {
    const item = document.createElement('li');
    item.dataset.job = job.jobID;
    const what = document.createElement('span');
    what.className = 'what';
    const time = new Date(job.created).toTimeString().slice(0, 8);
    what.textContent = `${job.processID}, ${time}`;
    item.append(what);
    const state = document.createElement('span');
    state.className = 'state';
    if (hasEnded(job)) {
      state.textContent = job.cacheHit ? 'from the cache' : job.status;
      item.append(state);
      return item;
    }
    const cancel = document.createElement('button');
    cancel.type = 'button';
    cancel.textContent = 'Cancel';
    cancel.dataset.job = job.jobID;
    cancel.addEventListener('click', async () => {
      await this.api.remove(`/jobs/${job.jobID}`).catch(() => {});
      this.update();
    });
    const bar = document.createElement('progress');
    bar.max = 100;
    bar.value = job.progress;
    bar.setAttribute('aria-label', `Progress of ${what.textContent}`);
    state.textContent = statusText(job);
    item.append(cancel, bar, state);
    return item;
  }
}

export function statusText(job) {
  if (job.status === 'accepted') return job.queuePosition > 0 ? `queued, ${job.queuePosition} ahead` : 'queued';
  return `${job.stage || job.status} ${job.progress} %`;
}
