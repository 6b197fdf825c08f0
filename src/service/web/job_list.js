// The newest jobs of this token, with their progress and a button that cancels.

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

  /// Asked for again while one of them is under way.
  async update() {
    clearTimeout(this.timer);
    try {
      const { jobs } = await this.api.json(`/jobs?limit=${SHOWN}`);
      this.jobs = new Map(jobs.map((job) => [job.jobID, job]));
      this.draw();
    } catch {
      // The next one may be answered.
    }
    const waiting = [...this.jobs.values()].some((job) => !hasEnded(job));
    if (waiting) this.timer = setTimeout(() => this.update(), PAUSE);
  }

  /// News of one job, from its events.
  take(status) {
    const first = !this.jobs.has(status.jobID);
    this.jobs.set(status.jobID, status);
    this.draw();
    if (first || hasEnded(status)) this.update();
  }

  draw() {
    const newest = [...this.jobs.values()].sort((a, b) => b.created.localeCompare(a.created)).slice(0, SHOWN);
    const focused = this.list.contains(document.activeElement) ? document.activeElement.dataset.job : '';
    this.list.replaceChildren(...newest.map((job) => this.row(job)));
    if (focused) this.list.querySelector(`button[data-job="${CSS.escape(focused)}"]`)?.focus();
  }

  row(job) {
    const item = document.createElement('li');
    const what = document.createElement('span');
    what.className = 'what';
    const time = new Date(job.created).toTimeString().slice(0, 8);
    what.textContent = `${job.processID}, ${time}`;
    item.append(what);
    const state = document.createElement('span');
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
  if (job.status === 'accepted') return job.queuePosition > 0 ? `waits, ${job.queuePosition} before it` : 'waits';
  return `${job.stage || job.status} ${job.progress} %`;
}
