// All views of a cloud and its density: scene, overlay, slices, histogram and probe, all from the
// same values.

import { broadSide, sum, ViewCamera } from './camera.js';
import { onGround, PRESETS } from './colour_maps.js';
import { DisplaySpace } from './display_space.js';
import { Histogram } from './histogram.js';
import { MassLevels } from './mass_levels.js';
import { MassRows, movedMass } from './mass_rows.js';
import { shortNumber } from './number_text.js';
import { Overlay } from './overlay.js';
import { cellsOf, Planes } from './planes.js';
import { PointerInput } from './pointer_input.js';
import { PinTable, readingTexts, showReading } from './probe_table.js';
import { placeAt, shareIn, valueIn, worldOf } from './ray_probe.js';
import { Scene } from './scene.js';
import { axisUpTo, BY_MASS, opacitiesByMass, partOf, shellMasses } from './transfer_function.js';
import { PIN_DIGITS } from './view_state.js';

const byId = (id) => document.getElementById(id);

export class DensityView {
  /// `change(changes)`: the user changed values of the view by its own means.
  constructor(values, { onCamera, change }) {
    Object.assign(this, { values, change });
    const view = byId('view');
    this.camera = new ViewCamera(() => {
      onCamera(this.camera.numbers());
      this.render();
    });
    this.camera.restore(values().camera);
    this.scene = new Scene(view, this.camera);
    this.overlay = new Overlay(byId('overlay'), this.camera);
    this.planes = new Planes((cross) => change({ cross }));
    this.histogram = new Histogram(byId('histogram'), (index, value) => this.dragLevel(index, value));
    this.massRows = new MassRows(byId('masses'), byId('add-mass'), (masses) => change({ masses }));
    this.pinTable = new PinTable(byId('pins'), (index) =>
      change({ pins: values().pins.filter((_, i) => Math.floor(i / 3) !== index) }));
    this.pointer = new PointerInput(view, this.camera, {
      onClick: (pixel) => this.pin(this.placeAt(pixel)), onHover: (pixel) => this.hover(pixel) });
    new ResizeObserver(() => this.render()).observe(view);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.refresh());
    view.addEventListener('keydown', (event) => this.onKey(event) && event.preventDefault());
  }

  get size() {
    return { width: byId('view').clientWidth, height: byId('view').clientHeight };
  }

  onKey(event) {
    if (event.key !== 'Enter') return this.camera.onKey(event);
    if (this.volume) this.pin(worldOf(this.volume, this.values().cross));
    return true;
  }

  lay() {
    const { shape, flip, more } = this.values();
    const [lower, upper] = (new URLSearchParams(more).get('bounds') || '').split(':').map((corner) => corner.split(',').map(Number));
    const bounds = upper ? { lower, upper } : this.cloud.bounds;
    this.space = new DisplaySpace(bounds, shape, flip, this.cloud.names[2]);
    this.camera.first = broadSide(this.cloud.info.cloud.covariance, this.space.scale);
    this.camera.fit(Math.hypot(...sum(this.space.to(bounds.upper), this.space.to(bounds.lower), -1)) / 2, this.size);
    if (!this.values().camera.length) this.camera.look('oblique');
    if (this.rows) this.scene.setSamples(this.rows, this.space);
  }

  setCloud(cloud, rows) {
    Object.assign(this, { cloud, rows, volume: null });
    this.lay();
    if (!this.values().camera.length) this.camera.look('oblique');
    this.refresh();
  }

  clear() {
    Object.assign(this, { cloud: null, rows: null, volume: null });
    this.scene.setSamples([], null);
    this.refresh();
  }

  setVolume(volume) {
    this.volume = volume;
    this.levels = new MassLevels(volume, Number(volume.facts.get('mass_in_box') ?? 1));
    this.refresh();
  }

  /// Returns what the views have in common: see Scene.setLook and Histogram.draw.
  look() {
    const values = this.values();
    const { mode, masses, clip, colours, opacities, opacity, shading, cross, low, high } = values;
    const { volume, space } = this;
    const look = { volume, space, mode, clip, colours: onGround(colours), opacity, shading, samples: values.samples || !volume };
    const box = values.box && (volume || this.cloud?.bounds);
    if (box) look.lines = () => this.overlay.boxLines(box, space);
    if (!volume) return look;
    look.whole = axisUpTo(volume.peak, values.axis === 'logarithmic');
    look.axis = partOf(look.whole, low, high);
    look.points = opacities === BY_MASS ? this.pointsByMass(look.axis) : PRESETS[opacities];
    look.cells = cellsOf(volume, cross);
    look.regions = mode === 'surfaces' ? this.regionsOf(masses) : [];
    look.named = opacities === BY_MASS && mode === 'composite' ? this.levels.shells.slice(-3) : look.regions;
    const { levels } = values;
    look.levels = mode === 'surfaces' && levels.length ? levels : look.regions.filter(({ level }) => level).map(({ level }) => level);
    return look;
  }

  pointsByMass(axis) {
    const { levels, volume: { lower, upper } } = this;
    levels.shells ??= levels.regions(shellMasses(levels.inBox));
    return opacitiesByMass(levels.shells, axis, upper.reduce((product, value, i) => product * (value - lower[i]), 1));
  }

  regionsOf(masses) {
    const key = masses.join();
    if (this.found?.of !== this.levels || this.found.key !== key)
      this.found = { of: this.levels, key, regions: this.levels.regions(masses) };
    return this.found.regions;
  }

  refresh() {
    const { slices, mode, masses } = this.values();
    const look = this.look();
    this.scene.setLook(look);
    byId('planes').hidden = !slices || !this.volume;
    byId('levels').hidden = mode !== 'surfaces';
    byId('opacity-controls').hidden = mode !== 'composite';
    if (this.volume) {
      this.histogram.draw(this.levels, { ...look, levels: look.regions });
      this.massRows.show(mode === 'surfaces' ? masses : [], look.regions, { volumeUnit: this.cloud.volumeUnit, inBox: this.levels.inBox });
      this.refreshPlanes(look);
    }
    this.refreshPins();
    this.render();
  }

  refreshPlanes(look) {
    if (!this.values().slices) return;
    const here = this.planes.draw(this.volume, { ...look, cross: this.values().cross }, this.cloud.names, this.space);
    byId('value').textContent = `At the cross-hair: ${shortNumber(here, 4)} ${this.cloud.densityUnit}`;
  }

  dragLevel(index, value) {
    const { masses } = this.values();
    this.change({ masses: movedMass(masses, index, this.levels.massAbove(value)) });
  }

  /// Returns the place in the volume that the view shows at a pixel; null if there is none.
  placeAt(pixel) {
    if (!this.volume) return null;
    const { size } = this;
    const share = placeAt(this.look(), this.camera.frame(size.width, size.height), pixel, size);
    return share && worldOf(this.volume, share);
  }

  read(place) {
    const density = valueIn(this.volume, shareIn(this.volume, place));
    return { place, density, massAbove: this.levels.massAbove(density) };
  }

  hover(pixel) {
    const place = pixel && this.values().probe ? this.placeAt(pixel) : null;
    const texts = place && readingTexts(this.cloud, this.volume);
    showReading(byId('probe-reading'), place && this.read(place), texts, pixel || undefined);
  }

  /// Pins have the digits that the address keeps, so that a link tells the same; a place is pinned
  /// once.
  pin(place) {
    if (!place || !this.values().probe) return;
    const pin = place.map((value) => Number(value.toPrecision(PIN_DIGITS)));
    if (this.pins().some((other) => other.join() === pin.join())) return;
    this.change({ pins: [...this.values().pins, ...pin] });
  }

  pins() {
    const { pins } = this.values();
    return Array.from({ length: pins.length / 3 }, (_, i) => pins.slice(3 * i, 3 * i + 3));
  }

  refreshPins() {
    const readings = this.volume ? this.pins().map((place) => this.read(place)) : [];
    this.pinTable.show(readings, readings.length && readingTexts(this.cloud, this.volume));
    byId('pins-section').hidden = !readings.length;
  }

  render() {
    this.scene.render();
    this.drawOverlay();
  }

  drawOverlay() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      const { colours, axis, named, lines } = this.look();
      const bar = this.volume && { colours, axis, named, unit: this.cloud.densityUnit };
      this.overlay.draw({ space: this.space, lines: lines?.(), cloud: this.cloud, bar,
        pins: this.volume ? this.pins() : [] });
    });
  }
}
