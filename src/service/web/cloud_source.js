// The cloud on display: its columns and the suggestions of the service, and some of its samples.

import { densityUnit } from './number_text.js';
import { parsePoints } from './result_files.js';

const SAMPLES = 100000;

export class Cloud {
  /// `wished`: columns of x, y, z and weights by name; '' if the service is to choose.
  static async load(api, id, wished) {
    const query = new URLSearchParams();
    if (wished.x && wished.y && wished.z) query.set('columns', [wished.x, wished.y, wished.z].join(','));
    if (wished.weights) query.set('weights', wished.weights);
    const info = await api.json(`/clouds/${id}?${query}`);
    return Object.assign(new Cloud(), { api, id, query, info });
  }

  /// What the axes are columns of, without units.
  get names() {
    return ['x', 'y', 'z'].map((axis) => this.info.columns[axis]?.quantity || axis);
  }

  get columnNames() {
    return ['x', 'y', 'z'].map((axis) => this.info.columns[axis]?.name || axis);
  }

  get units() {
    return ['x', 'y', 'z'].map((axis) => this.info.columns[axis]?.units || '');
  }

  /// All columns that can serve as coordinates or weights.
  get columns() {
    const { x, y, z, weight, others, left_out: texts } = this.info.columns;
    const named = [x, y, z, weight].filter((column) => column?.name).map((column) => column.name);
    return [...new Set([...named, ...others])].filter((name) => !texts.includes(name));
  }

  /// Without a bandwidth if the cloud is flat, has one sample, or its samples have their own.
  get suggestion() {
    return Object.values(this.info.suggested)[0];
  }

  /// The box of the suggested grid, or of the samples; it determines the layout of the scene.
  get bounds() {
    return (this.suggestion.grid || this.info.cloud).bounds;
  }

  async samples() {
    const query = new URLSearchParams(this.query);
    query.set('limit', SAMPLES);
    return parsePoints(await this.api.bytes(`/clouds/${this.id}/points?${query}`));
  }

  /// The inputs of a request for a density of this cloud.
  /// `more` may tell the box and the cells, but for previews.
  inputs({ kernel, bandwidth, sharpen, weights, more, cells: all }, cells) {
    const inputs = { cloud: this.id, dims: cells, ...Object.fromEntries(new URLSearchParams(more)) };
    if (cells !== all) inputs.dims = cells;
    if (kernel) inputs.kernel = kernel;
    if (this.query.has('columns')) inputs.columns = this.query.get('columns');
    if (weights) inputs.weights = weights;
    if (bandwidth) inputs.bandwidth = bandwidth;
    if (sharpen) inputs.sharpen = true;
    return inputs;
  }

  get volumeUnit() {
    const measures = this.names.map((name, axis) => this.units[axis] || name);
    return measures.every((unit) => unit === measures[0]) ? `${measures[0]}³` : measures.join('·');
  }

  get densityUnit() {
    const [first, ...others] = this.units;
    return densityUnit(others.every((unit) => unit === first) ? first : '');
  }
}
