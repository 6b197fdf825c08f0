// The page: from a dropped file or an address to a density, and from every control to the views.

import { Api } from './api.js';
import { Cloud } from './cloud_source.js';
import { Controls } from './controls.js';
import { DensityView } from './density_view.js';
import { saveMesh, savePicture, saveVolume } from './downloads.js';
import { Estimator } from './estimator.js';
import { JobList, statusText } from './job_list.js';
import { askToken, clearBusy, clearProblem, listenNotices, showBusy, showProblem } from './notices.js';
import { byteText, shortNumber } from './number_text.js';
import { showPeaks } from './peak_list.js';
import { copyText } from './probe_table.js';
import { presetFor } from './transfer_function.js';
import { uploadCloud } from './upload.js';
import { ViewState } from './view_state.js';

const PREVIEW_CELLS = 40;
const ESTIMATE = ['bandwidth', 'sharpen', 'kernel', 'cells', 'more'];
const SOURCE = ['x', 'y', 'z', 'weights'];
const byId = (id) => document.getElementById(id);

class Page {
  constructor(state) {
    this.state = state;
    this.api = new Api(state.token);
    this.jobs = new JobList(this.api, byId('jobs'));
    this.estimator = new Estimator(this.api, (status) => this.onStatus(status));
    this.view = new DensityView(() => state.values, {
      onCamera: (camera) => state.set({ camera }),
      change: (changes) => this.change(changes, true),
    });
    this.controls = new Controls((changes, settled) => this.change(changes, settled));
    this.controls.show(state.values);
    this.listen();
  }

  listen() {
    byId('open').addEventListener('click', () => byId('file').click());
    byId('file').addEventListener('change', () => this.upload(byId('file').files[0]));
    byId('clouds').addEventListener('change', ({ target }) => this.openNew(target.value, target.selectedOptions[0].text));
    this.action('save-volume', () => saveVolume(this.api, this.inputs(this.state.values.cells), this.name, byId('volume-format').value));
    this.action('save-mesh', () => saveMesh(this.api, this.view.volume, this.meshMass, this.name, byId('mesh-format').value));
    this.action('save-picture', () => savePicture(this.view.scene, byId('overlay'), this.name));
    this.action('copy-pins', () => this.copy('copy-pins', this.view.pinTable.text));
    this.action('share', () => this.share());
    this.action('find-peaks', () => this.findPeaks());
    byId('clear-pins').addEventListener('click', () => this.change({ pins: [] }, true));
    listenNotices(() => this.cancel());
    const stage = byId('stage');
    for (const type of ['dragenter', 'dragover', 'dragleave', 'drop'])
      document.addEventListener(type, (event) => {
        event.preventDefault();
        stage.classList.toggle('target', type === 'dragenter' || type === 'dragover');
        if (type === 'drop') this.upload(event.dataTransfer.files[0]);
      });
    document.addEventListener('keydown', (event) => this.onKey(event));
    addEventListener('hashchange', () => location.hash !== this.state.hash && location.reload());
  }

  action(id, act) {
    byId(id).addEventListener('click', () => act().catch(showProblem));
  }

  onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === 'Escape') return this.cancel();
    if (event.target.closest('select, input:not([type="range"]):not([type="checkbox"])')) return;
    const keys = { o: () => byId('file').click(), v: () => byId('view').focus(), p: () => byId('save-picture').click() };
    keys[event.key]?.();
  }

  async copy(button, text) {
    if (!(await copyText(text))) throw new Error('the browser refused the clipboard; select the text and copy it by Ctrl+C');
    const { textContent } = byId(button);
    byId(button).textContent = 'Copied';
    setTimeout(() => (byId(button).textContent = textContent), 1500);
  }

  share() {
    this.state.write();
    return this.copy('share', location.href);
  }

  async findPeaks() {
    const { volume } = this.view;
    const { peaks } = await (await this.api.run('peaks', this.inputs(this.state.values.cells), 'summary')).json();
    if (volume === this.view.volume) showPeaks(byId('peaks'), peaks, volume, (cross) => this.change({ cross, slices: true }, true));
  }

  /// The mass of the surface that is kept as a mesh: the first of the view.
  get meshMass() {
    const { mode, masses } = this.state.values;
    return mode === 'surfaces' ? masses[0] : 0.5;
  }

  get name() {
    return (this.cloud?.info.name || 'density').replace(/\.[^.]*$/, '');
  }

  inputs(cells) {
    return this.cloud.inputs(this.state.values, cells);
  }

  cancel() {
    clearProblem();
    this.uploading?.abort();
    this.wanted = null;
    this.estimator.cancel();
  }

  async start() {
    const clouds = await this.listClouds();
    const { file } = this.state.values;
    if (file) this.state.values.cloud ||= this.takeFile(file, clouds.find(({ name }) => name === file)?.id);
    const { cloud } = this.state.values;
    if (cloud) (await this.open(cloud)) || (await this.askColumns(cloud));
    else if (file) byId('hint').textContent = `The address shows ${file}: drop it here, or press o.`;
    else if (clouds.length) byId('hint').textContent += ' Or choose a cloud above.';
  }

  /// An address of skde-view names a file: its view is that of the cloud of this name. Returns the cloud, or ''.
  takeFile(name, id) {
    if (!id || name !== this.state.values.file) return '';
    this.state.set({ cloud: id, file: '' });
    return id;
  }

  async listClouds() {
    const { clouds } = await this.api.json('/clouds');
    byId('clouds').replaceChildren(new Option(clouds.length ? 'choose one' : 'none', ''),
      ...clouds.map(({ id, name }) => new Option(name || id, id)));
    byId('clouds').value = this.state.values.cloud;
    return clouds;
  }

  async upload(file) {
    if (!file) return;
    this.cancel();
    byId('file').value = '';
    const stop = (this.uploading = new AbortController());
    try {
      const id = await uploadCloud(this.api, file,
        (share) => showBusy(`${file.name}, ${byteText(file.size)}`, share), stop.signal);
      await this.openNew(id, file.name, () => this.api.remove(`/clouds/${id}`).catch(() => {}));
      await this.listClouds();
    } catch (error) {
      if (error.name !== 'AbortError') showProblem(error);
    } finally {
      clearBusy();
    }
  }

  /// If the file is not a cloud, the page stays as it was.
  async openNew(id, name, onBad = () => {}) {
    if (!id) return;
    clearProblem();
    const before = this.state.values;
    if (!this.takeFile(name, id)) this.state.startCloud(id);
    if ((await this.open(id)) || (await this.askColumns(id))) {
      this.view.camera.restore(this.state.values.camera);
      this.view.render();
      return;
    }
    this.state.values = before;
    this.state.write();
    byId('clouds').value = before.cloud;
    await onBad();
  }

  /// Loads first the samples, then the density. Returns whether the cloud could be read.
  async open(id) {
    try {
      showBusy('reading');
      const cloud = await Cloud.load(this.api, id, this.state.values);
      const rows = await cloud.samples();
      clearProblem();
      this.cloud = cloud;
      this.view.setCloud(cloud, rows);
    } catch (error) {
      this.problem = error;
      showProblem(error);
      clearBusy();
      return false;
    }
    byId('hint').hidden = true;
    document.title = `${this.cloud.info.name || 'cloud'} · skde`;
    byId('clouds').value = id;
    this.controls.setCloud(this.cloud);
    this.controls.show(this.state.values);
    this.estimate(true);
    return true;
  }

  /// Offers the columns of numbers of a file that names none as coordinates. Returns whether there
  /// are any; which ones to take is not guessed.
  async askColumns(id) {
    if (this.state.values.x) return false;
    const any = { x: '*', y: '*', z: '*' };
    const cloud = await Cloud.load(this.api, id, any).catch(() => null);
    if (!cloud) return false;
    showProblem(Object.assign(this.problem, { suggestion: 'choose the columns of x, y and z in the form' }));
    this.cloud = null;
    this.view.clear();
    this.controls.offerColumns(cloud.columns, ['', '', '']);
    byId('hint').hidden = true;
    byId('x').focus();
    return true;
  }

  /// A column that moves to another axis is exchanged with the column there.
  exchange(changes) {
    const axes = ['x', 'y', 'z'];
    const [chosen] = axes.filter((axis) => axis in changes);
    if (!chosen || !this.cloud) return;
    const names = this.cloud.columnNames;
    const before = names[axes.indexOf(chosen)];
    axes.forEach((axis, i) => {
      if (axis !== chosen) changes[axis] = names[i] === changes[chosen] ? before : names[i];
    });
  }

  change(changes, settled) {
    this.exchange(changes);
    if ('axis' in changes) changes.opacities = presetFor(this.state.values.opacities, changes.axis === 'logarithmic');
    const has = (names) => names.some((name) => name in changes);
    if (has([...ESTIMATE, ...SOURCE, 'masses'])) changes.levels = [];  // those of an address
    this.state.set(changes);
    this.controls.show(this.state.values);
    const { cloud, x, y, z } = this.state.values;
    if (has(SOURCE) && cloud && (this.cloud || (x && y && z))) return this.open(cloud);
    if (!this.cloud) return this.view.refresh();
    if (has(ESTIMATE)) return this.estimate(settled);
    if (has(['shape', 'flip'])) this.view.lay();
    this.view.refresh();
  }

  /// Estimates a small preview and, once the controls rest, the full density. Only the latest
  /// request counts.
  async estimate(full) {
    this.wanted = { full };
    byId('stage').ariaBusy = 'true';
    if (this.working) {
      if (this.working === 'full') this.estimator.cancel();
      return;
    }
    try {
      while (this.wanted) await this.step();
    } catch (error) {
      showProblem(error, (more) => {
        clearProblem();
        this.change({ more }, true);
      });
    } finally {
      this.working = '';
      byId('stage').ariaBusy = 'false';
      clearBusy();
    }
  }

  async step() {
    const { full } = this.wanted;
    const { cells } = this.state.values;
    this.wanted = null;
    if (cells > PREVIEW_CELLS) await this.showOne('preview', PREVIEW_CELLS);
    if (!this.wanted && (full || cells <= PREVIEW_CELLS)) await this.showOne('full', cells);
  }

  async showOne(kind, cells) {
    this.working = kind;
    const { cloud } = this;
    const volume = await this.estimator.volume(this.inputs(cells));
    if (!volume || cloud !== this.cloud) return;
    if (this.state.values.cross.length === 0) this.crossPeak(volume);
    this.view.setVolume(volume);
    byId('stage').dataset.shown = kind;
    byId('save-volume').disabled = byId('save-mesh').disabled = byId('find-peaks').disabled = false;
    byId('peaks').replaceChildren();
    const { samples } = this.cloud.info;
    byId('facts').textContent = [`${samples.used.toLocaleString()} samples`, volume.dims.join(' × '),
      `h = ${shortNumber(Number(volume.facts.get('h')), 4)}`, `peak ${shortNumber(volume.peak)}`,
      `${shortNumber(100 * Number(volume.facts.get('mass_in_box') ?? 1), 4)} % in the box`].join(' · ');
  }

  /// Until the user moves it, the cross-hair is at the peak.
  crossPeak({ values, dims, peak }) {
    const at = values.indexOf(peak);
    const cells = [at % dims[0], Math.floor(at / dims[0]) % dims[1], Math.floor(at / (dims[0] * dims[1]))];
    this.state.set({ cross: cells.map((cell, axis) => (cell + 0.5) / dims[axis]) });
    this.controls.show(this.state.values);
  }

  onStatus(status) {
    this.jobs.take(status);
    if (this.working === 'full' && status.status === 'running') showBusy(statusText(status), status.progress / 100);
    if (this.working === 'full' && status.status === 'accepted') showBusy(statusText(status));
  }
}

async function main() {
  const state = new ViewState();
  if (!state.token) state.token = await askToken();
  try {
    await new Page(state).start();
  } catch (error) {
    if (error.status === 401) state.token = '';
    showProblem(error);
  }
}

main();
