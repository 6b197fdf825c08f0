// All views of a cloud and its density: scene, overlay, slices and histogram, all from the same
// values.

import { ViewCamera } from './camera.js';
import { DisplaySpace } from './display_space.js';
import { Histogram } from './histogram.js';
import { shortNumber } from './number_text.js';
import { Overlay } from './overlay.js';
import { cellsOf, Planes } from './planes.js';
import { fitWindow } from './render_window.js';
import { massesOf, Scene } from './scene.js';

const byId = (id) => document.getElementById(id);

export class DensityView {
  constructor(values, { onCamera, onCross }) {
    this.values = values;
    this.scene = new Scene(byId('view'));
    this.camera = new ViewCamera(this.scene, () => {
      onCamera(this.camera.numbers());
      this.render();
    });
    this.camera.restore(values().camera);
    this.overlay = new Overlay(byId('overlay'), this.scene);
    this.planes = new Planes(onCross);
    this.histogram = new Histogram(byId('histogram'));
    this.camera.camera.onModified(() => this.drawOverlay());
    new ResizeObserver(() => this.fit()).observe(byId('stage'));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.refresh());
    byId('view').addEventListener('keydown', (event) => this.camera.onKey(event) && event.preventDefault());
  }

  fit() {
    fitWindow(this.scene, byId('view'));
    this.render();
  }

  lay() {
    const { shape, flip } = this.values();
    this.space = new DisplaySpace(this.cloud.bounds, shape, flip, this.cloud.names);
    if (this.rows) this.scene.setSamples(this.rows, this.space);
    if (this.volume) this.scene.setVolume(this.volume, this.space);
  }

  setCloud(cloud, rows) {
    Object.assign(this, { cloud, rows, volume: null });
    this.scene.clearVolume();
    this.lay();
    this.refresh();
  }

  /// `levels`: the levels of the mode, as shares of the peak.
  setVolume(volume, levels) {
    Object.assign(this, { volume, levels });
    this.scene.setVolume(volume, this.space);
    this.refresh();
  }

  setLevels(levels) {
    this.levels = levels;
    this.refresh();
  }

  refresh() {
    const values = this.values();
    this.scene.setTransfer(values);
    this.scene.showSamples(Boolean(this.rows) && (values.samples || !this.volume));
    byId('planes').hidden = !values.slices || !this.volume;
    if (this.volume) {
      const wanted = massesOf(values.mode);
      this.scene.setMode(values.mode, (this.levels || []).filter(({ mass }) => wanted.includes(mass)));
      this.scene.setClip(values.clip);
      this.histogram.draw(this.volume, values);
      this.refreshCross();
    }
    this.render();
  }

  refreshCross() {
    const values = this.values();
    if (!this.volume) return;
    this.scene.setCross(cellsOf(this.volume, values.cross));
    if (!values.slices) return;
    const here = this.planes.draw(this.volume, values, this.cloud.names, this.space);
    byId('value').textContent = `At the cross-hair: ${shortNumber(here, 4)}`;
  }

  /// Updates colours, opacities and the clip box, and keeps the surfaces.
  recolour() {
    if (!this.volume || massesOf(this.values().mode).length) return this.refresh();
    this.scene.setTransfer(this.values());
    this.histogram.draw(this.volume, this.values());
    this.refreshCross();
    this.render();
  }

  render() {
    this.scene.render();
    this.drawOverlay();
  }

  drawOverlay() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      const { colours, low, high, mode } = this.values();
      const bar = this.volume && !massesOf(mode).length &&
        { colours, low, high, peak: this.volume.peak, title: this.cloud.densityTitle() };
      const box = this.volume || this.cloud?.bounds;
      this.overlay.draw({ space: this.space, box, names: this.axisTitles(), bar });
    });
  }

  axisTitles() {
    return this.cloud?.names.map((name, axis) => (this.cloud.units[axis] ? `${name} (${this.cloud.units[axis]})` : name));
  }
}
