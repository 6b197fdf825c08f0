// The cloud on display: its columns and the suggestions of the service, and some of its samples.

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

  get names() {
    return ['x', 'y', 'z'].map((axis) => this.info.columns[axis]?.name || axis);
  }

  get units() {
    return ['x', 'y', 'z'].map((axis) => this.info.columns[axis]?.units || '');
  }

  /// All columns that can serve as coordinates or weights.
  get columns() {
    const { x, y, z, weight, others } = this.info.columns;
    const named = [x, y, z, weight].filter((column) => column?.name).map((column) => column.name);
    return [...new Set([...named, ...(others || [])])];
  }

  get suggestedBandwidth() {
    return Object.values(this.info.suggested)[0].h;
  }

  /// The box of the suggested grid, which determines the layout of the scene.
  get bounds() {
    return Object.values(this.info.suggested)[0].grid.bounds;
  }

  async samples() {
    const query = new URLSearchParams(this.query);
    query.set('limit', SAMPLES);
    return parsePoints(await this.api.bytes(`/clouds/${this.id}/points?${query}`));
  }

  /// The inputs of a request for a density of this cloud.
  inputs({ kernel, bandwidth, weights }, cells) {
    const inputs = { cloud: this.id, dims: cells };
    if (kernel) inputs.kernel = kernel;
    if (this.query.has('columns')) inputs.columns = this.query.get('columns');
    if (weights) inputs.weights = weights;
    if (bandwidth) inputs.bandwidth = bandwidth;
    return inputs;
  }

  /// Units of the axes; the axis itself where it has none.
  get measures() {
    return this.names.map((name, axis) => this.units[axis] || name);
  }

  get volumeUnit() {
    const [first, ...others] = this.measures;
    return others.every((unit) => unit === first) ? `${first}³` : this.measures.join('·');
  }

  get densityUnit() {
    return this.volumeUnit.includes('·') ? `1/(${this.volumeUnit})` : `1/${this.volumeUnit}`;
  }
}
