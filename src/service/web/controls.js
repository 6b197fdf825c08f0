// The form on the left: native controls, so that keys and screen readers work as usual.

import { COLOUR_MAPS, KERNELS, OPACITIES } from './colour_maps.js';

const byId = (id) => document.getElementById(id);
const CHOICES = ['kernel', 'weights', 'x', 'y', 'z', 'mode', 'colours', 'axis', 'opacities', 'shape', 'flip'];
const SWITCHES = ['sharpen', 'shading', 'box', 'samples', 'slices', 'probe'];
const SHARES = ['low', 'high', 'opacity'];

export class Controls {
  /// `onChange(changes, settled)`: `settled` is false while a slider is still being moved.
  constructor(onChange) {
    this.onChange = onChange;
    byId('kernel').append(...KERNELS.map((name) => new Option(name)));
    for (const [id, names] of [['colours', COLOUR_MAPS], ['opacities', OPACITIES]])
      byId(id).replaceChildren(...names.map((name) => new Option(name.replace('-inverted', ', inverted'), name)));
    for (const id of CHOICES) this.listen(id, 'change', (input) => ({ [id]: input.value }));
    for (const id of SWITCHES) this.listen(id, 'change', (input) => ({ [id]: input.checked }));
    for (const id of SHARES) this.listen(id, 'input', (input) => ({ [id]: Number(input.value) }));
    this.listen('cells', 'change', (input) => ({ cells: Number(input.value) }));
    byId('bandwidth').addEventListener('input', () => onChange({ bandwidth: this.bandwidth() }, false));
    byId('bandwidth').addEventListener('change', () => onChange({ bandwidth: this.bandwidth() }, true));
    byId('bandwidth-suggested').addEventListener('click', () => onChange({ bandwidth: '' }, true));
    byId('controls').addEventListener('submit', (event) => event.preventDefault());
    this.clip = this.sliders('clip', 2, (values) => ({ clip: [...values.filter((_, i) => i % 2 === 0), ...values.filter((_, i) => i % 2)] }));
    this.cross = this.sliders('cross', 1, (values) => ({ cross: values }));
  }

  listen(id, event, changes) {
    byId(id).addEventListener(event, () => this.onChange(changes(byId(id)), true));
  }

  /// Makes a row of sliders for each axis.
  sliders(id, each, changes) {
    const inputs = [];
    for (let axis = 0; axis < 3; ++axis) {
      const row = document.createElement('div');
      row.className = 'pair';
      row.append(document.createElement('span'));
      for (let i = 0; i < each; ++i) {
        const input = Object.assign(document.createElement('input'), { type: 'range', min: 0, max: 1, step: 0.01 });
        if (each === 1) input.style.gridColumn = 'span 2';
        input.addEventListener('input', () => this.onChange(changes(inputs.map((other) => Number(other.value))), true));
        inputs.push(input);
        row.append(input);
      }
      byId(id).append(row);
    }
    return inputs;
  }

  /// The bandwidth that the slider selects; its middle is the suggested one. Per-sample bandwidths
  /// have none.
  bandwidth() {
    const power = Number(byId('bandwidth').value);
    return power === 0 || !this.suggested ? '' : String(Number((this.suggested * 2 ** power).toPrecision(4)));
  }

  setCloud(cloud) {
    this.suggested = cloud.suggestion.h;
    byId('bandwidth').disabled = !this.suggested;
    this.offerColumns(cloud.columns, cloud.columnNames);
    cloud.names.forEach((name, axis) => {
      byId('clip').querySelectorAll('.pair span')[axis].textContent = name;
      byId('cross').querySelectorAll('.pair span')[axis].textContent = name;
      this.clip[2 * axis].setAttribute('aria-label', `Clip box, ${name} from`);
      this.clip[2 * axis + 1].setAttribute('aria-label', `Clip box, ${name} to`);
      this.cross[axis].setAttribute('aria-label', `Cross-hair, ${name}`);
    });
    byId('columns').hidden = cloud.columns.length < 4;
  }

  /// `chosen`: the columns of x, y and z; '' where one is still to be chosen.
  offerColumns(columns, chosen) {
    const options = () => columns.map((name) => new Option(name, name));
    byId('weights').replaceChildren(new Option('none', ''), ...options());
    chosen.forEach((name, axis) => {
      byId('xyz'[axis]).replaceChildren(...(name ? [] : [new Option('?', '')]), ...options());
      byId('xyz'[axis]).value = name;
    });
    byId('columns').hidden = false;
  }

  show(values) {
    for (const id of CHOICES) if (values[id] || !'xyz'.includes(id)) byId(id).value = values[id];
    for (const id of SWITCHES) byId(id).checked = values[id];
    for (const id of SHARES) {
      byId(id).value = values[id];
      byId(`${id}-text`).textContent = `${Math.round(values[id] * 100)} %`;
    }
    byId('cells').value = values.cells;
    values.cross.forEach((share, axis) => (this.cross[axis].value = share));
    for (let axis = 0; axis < 3; ++axis) {
      this.clip[2 * axis].value = values.clip[axis];
      this.clip[2 * axis + 1].value = values.clip[axis + 3];
    }
    this.showBandwidth(values.bandwidth, values.sharpen);
  }

  /// The suggestion is that of a plain density; samples that are sharpened choose another.
  showBandwidth(bandwidth, sharpen) {
    if (!this.suggested) {
      byId('bandwidth').value = 0;
      byId('bandwidth-text').textContent = '';
      return;
    }
    const h = bandwidth ? Number(bandwidth) : Number(this.suggested.toPrecision(4));
    if (document.activeElement !== byId('bandwidth') || !bandwidth) byId('bandwidth').value = Math.log2(h / this.suggested);
    byId('bandwidth-text').textContent = bandwidth ? String(h) : sharpen ? 'chosen for less bias' : `${h}, suggested`;
    byId('bandwidth').setAttribute('aria-valuetext', byId('bandwidth-text').textContent);
  }
}
