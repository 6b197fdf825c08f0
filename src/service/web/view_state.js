// The settings of the view, kept behind the # of the address, so that a link shows the same view.
// The token is removed from the address and kept for this tab only, as links are passed on.

const DEFAULTS = {
  cloud: '', x: '', y: '', z: '', weights: '', kernel: '', bandwidth: '', cells: 128,
  mode: 'composite', colours: 'viridis', low: 0, high: 1, opacity: 0.5, samples: false, slices: true,
  shape: 'auto', flip: 'auto', clip: [0, 0, 0, 1, 1, 1], cross: [], camera: [],
};
const LENGTHS = { camera: 9, cross: 3, clip: 6 };
const TOKEN = 'skde-token';

function read(text, like, length) {
  if (Array.isArray(like)) {
    const numbers = text.split(',').map(Number);
    return numbers.every(Number.isFinite) && numbers.length === length ? numbers : like;
  }
  if (typeof like === 'boolean') return text === '1';
  if (typeof like === 'number') return Number.isFinite(Number(text)) && text !== '' ? Number(text) : like;
  return text;
}

function written(value) {
  if (Array.isArray(value)) return value.map((number) => Number(number.toFixed(4))).join(',');
  return typeof value === 'boolean' ? String(Number(value)) : String(value);
}

export class ViewState {
  constructor() {
    this.values = structuredClone(DEFAULTS);
    const given = new URLSearchParams(location.hash.slice(1));
    if (given.has('token')) sessionStorage.setItem(TOKEN, given.get('token'));
    for (const [name, like] of Object.entries(DEFAULTS))
      if (given.has(name)) this.values[name] = read(given.get(name), like, LENGTHS[name]);
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
    const { kernel, cells, mode, colours, slices, samples } = this.values;
    this.values = { ...structuredClone(DEFAULTS), cloud, kernel, cells, mode, colours, slices, samples };
    this.write();
  }

  write() {
    const kept = new URLSearchParams();
    for (const [name, value] of Object.entries(this.values))
      if (written(value) !== written(DEFAULTS[name])) kept.set(name, written(value));
    const hash = kept.toString().replaceAll('%2C', ',');
    this.hash = hash ? `#${hash}` : '';
    history.replaceState(null, '', location.pathname + this.hash);
  }
}
