// How often each density occurs, with the colours and opacities of the view, over the whole axis;
// counts are on a logarithmic scale. Levels of mass are lines that can be dragged.

import { colourAt, cssColour } from './colour_maps.js';
import { opacityAt, shareOf, valueAt } from './transfer_function.js';

const BINS = 96;
const REACH = 8;  // pixels about a line within which it is taken

/// Returns how many cells there are in each bin. Cells of nearly the same density, which were counted
/// together, are spread over the bins between their limits.
function countsOn(axis, masses) {
  const bins = new Float64Array(BINS);
  for (const { low, high, count } of masses.ranges()) {
    if (high <= axis.low) continue;
    const [from, to] = [low, high].map((value) => BINS * shareOf(axis, value));
    for (let bin = Math.min(Math.floor(from), BINS - 1); bin < BINS && bin <= to; ++bin)
      bins[bin] += to > from ? (count * (Math.min(bin + 1, to) - Math.max(bin, from))) / (to - from) : count;
  }
  return bins;
}

export class Histogram {
  /// `onLevel(index, value)`: a line of a level was dragged to a density.
  constructor(canvas, onLevel) {
    this.canvas = canvas;
    this.levels = [];
    canvas.addEventListener('pointerdown', (event) => {
      this.held = this.nearest(event);
      if (this.held >= 0) canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      canvas.style.cursor = this.held >= 0 || this.nearest(event) >= 0 ? 'ew-resize' : '';
      if (this.held >= 0) onLevel(this.held, valueAt(this.whole, this.share(event)));
    });
    for (const type of ['pointerup', 'pointercancel']) canvas.addEventListener(type, () => (this.held = -1));
    this.held = -1;
  }

  share(event) {
    const box = this.canvas.getBoundingClientRect();
    return Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
  }

  /// Returns the index of the line under the pointer, or -1.
  nearest(event) {
    const width = this.canvas.clientWidth;
    const away = this.levels.map(({ level }) => (level ? Math.abs(shareOf(this.whole, level) - this.share(event)) * width : Infinity));
    const least = Math.min(...away);
    return least <= REACH ? away.indexOf(least) : -1;
  }

  /// `masses`: those of the volume (MassLevels); `whole`: the axis up to the peak; `axis`: the part of it that has colours; `levels`: mass and
  /// level of each line. Opacities are drawn where they matter.
  draw(masses, { whole, axis, colours, points, opacity, levels, mode }) {
    if (masses !== this.masses || whole.logarithmic !== this.whole.logarithmic) this.bins = countsOn(whole, masses);
    Object.assign(this, { masses, whole, levels });
    const width = (this.canvas.width = this.canvas.clientWidth * devicePixelRatio);
    const height = (this.canvas.height = this.canvas.clientHeight * devicePixelRatio);
    const pen = this.canvas.getContext('2d');
    const ink = getComputedStyle(this.canvas).color;
    const most = Math.log1p(Math.max(...this.bins));
    const positionOf = (share) => shareOf(axis, valueAt(whole, share));
    const from = shareOf(whole, axis.low);
    this.bins.forEach((count, i) => {
      const share = (i + 0.5) / BINS;
      const tall = most > 0 ? (Math.log1p(count) / most) * height * 0.94 : 0;
      pen.globalAlpha = share < from ? 0.25 : 1;
      pen.fillStyle = cssColour(colourAt(colours, positionOf(share)));
      pen.fillRect((i / BINS) * width, height - tall, width / BINS + 0.5, tall);
    });
    pen.globalAlpha = 1;
    pen.strokeStyle = ink;
    pen.lineWidth = 1.5 * devicePixelRatio;
    if (levels.length) this.drawLevels(pen, width, height, ink);
    if (mode !== 'composite') return;
    pen.beginPath();
    for (let x = 0; x <= width; ++x) {
      const share = x / width;
      const seen = share < from ? 0 : Math.min(1, opacityAt(points, positionOf(share)) * opacity);
      pen.lineTo(x, height - 1 - (height - 3) * seen);
    }
    pen.stroke();
  }

  drawLevels(pen, width, height, ink) {
    pen.font = `${11 * devicePixelRatio}px ${getComputedStyle(this.canvas).fontFamily}`;
    pen.textBaseline = 'top';
    pen.lineJoin = 'round';
    pen.fillStyle = ink;
    this.levels.forEach(({ mass, level }, i) => {
      if (!level) return;
      const x = Math.round(shareOf(this.whole, level) * width);
      pen.beginPath();
      pen.moveTo(x, 0);
      pen.lineTo(x, height);
      pen.stroke();
      const text = `${Number((100 * mass).toPrecision(3))} %`;
      const gap = 4 * devicePixelRatio;
      const before = x + gap + pen.measureText(text).width > width;
      pen.textAlign = before ? 'right' : 'left';
      const place = [text, x + (before ? -gap : gap), (2 + 13 * i) * devicePixelRatio];
      pen.save();
      pen.strokeStyle = getComputedStyle(this.canvas).backgroundColor;
      pen.lineWidth = 3 * devicePixelRatio;
      pen.strokeText(...place);
      pen.restore();
      pen.fillText(...place);
    });
  }
}
