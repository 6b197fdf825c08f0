// The settings of the view, kept behind the # of the address, so that a link shows the same view.
// The token is removed from the address and kept for this tab only, as links are passed on.

import { COLOUR_MAPS, OPACITIES } from './colour_maps.js';
import { MOST_SURFACES } from './scene.js';

const DEFAULTS = {
  cloud: '', file: '', x: '', y: '', z: '', weights: '', kernel: '', bandwidth: '', sharpen: false, cells: 128, more: '',
  mode: 'composite', colours: 'viridis', axis: 'logarithmic', opacities: 'by mass', low: 0, high: 1, opacity: 1, shading: true,
  masses: [0.5, 0.75, 0.95], levels: [], box: true, samples: false, slices: true, probe: true, shape: 'auto', flip: 'auto', clip: [0, 0, 0, 1, 1, 1],
  cross: [], pins: [], camera: [],
};
/// What stays as it is for another cloud.
const OF_TASTE = ['kernel', 'cells', 'mode', 'colours', 'axis', 'opacities', 'shading', 'masses', 'slices', 'box', 'samples', 'probe'];
const MODES = ['composite', 'maximum', 'surfaces', 'slices'];
export const PIN_DIGITS = 12;
const DIGITS = { pins: PIN_DIGITS, levels: PIN_DIGITS };
const FITS = {
  mode: (name) => MODES.includes(name),
  colours: (name) => COLOUR_MAPS.includes(name),
  axis: (name) => ['logarithmic', 'linear'].includes(name),
  opacities: (name) => OPACITIES.includes(name),
  flip: (name) => ['auto', 'up', 'down'].includes(name),
  camera: (numbers) => numbers.length === 9,
  cross: (numbers) => numbers.length === 3,
  clip: (numbers) => numbers.length === 6,
  masses: (numbers) => numbers.length <= MOST_SURFACES && numbers.every((mass) => mass > 0 && mass < 1),
  levels: (numbers) => numbers.length <= MOST_SURFACES && numbers.every((level) => level > 0),
  pins: (numbers) => numbers.length % 3 === 0,
};
const TOKEN = 'skde-token';

function read(text, like, fits) {
  if (Array.isArray(like)) {
    const numbers = text.split(',').map(Number);
    return numbers.every(Number.isFinite) && fits(numbers) ? numbers : like;
  }
  if (typeof like === 'boolean') return text === '1';
  if (typeof like === 'number') return Number.isFinite(Number(text)) && text !== '' ? Number(text) : like;
  return !fits || fits(text) ? text : like;
}

function written(value, digits = 5) {
  if (Array.isArray(value)) return value.map((number) => Number(number.toPrecision(digits))).join(',');
  return typeof value === 'boolean' ? String(Number(value)) : String(value);
}

export class ViewState {
  constructor() {
    this.values = structuredClone(DEFAULTS);
    const given = new URLSearchParams(location.hash.slice(1));
    if (given.has('token')) sessionStorage.setItem(TOKEN, given.get('token'));
    for (const [name, like] of Object.entries(DEFAULTS))
      if (given.has(name)) this.values[name] = read(given.get(name), like, FITS[name]);
    this.write();
  }

  get token() {
    return sessionStorage.getItem(TOKEN) || '';
  }

  set token(token) {
    sessionStorage.setItem(TOKEN, token);
  }

  set(changes) {
    Object.assign(this.values, changes);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.write(), 150);
  }

  /// Resets everything for a new cloud, except matters of taste.
  startCloud(cloud) {
    const kept = Object.fromEntries(OF_TASTE.map((name) => [name, this.values[name]]));
    this.values = { ...structuredClone(DEFAULTS), ...kept, cloud };
    this.write();
  }

  write() {
    const kept = new URLSearchParams();
    for (const [name, value] of Object.entries(this.values)) {
      const text = written(value, DIGITS[name]);
      if (text !== written(DEFAULTS[name])) kept.set(name, text);
    }
    const hash = kept.toString().replaceAll('%2C', ',');
    this.hash = hash ? `#${hash}` : '';
    history.replaceState(null, '', location.pathname + this.hash);
  }
}
