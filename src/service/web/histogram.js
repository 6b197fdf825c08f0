// How often each density occurs (on a logarithmic scale), with the colours and opacity of the view.

import { colourAt, colourStops, cssColour } from './colour_maps.js';

const BINS = 96;

function counts(volume) {
  const bins = new Uint32Array(BINS);
  const scale = BINS / volume.peak;
  for (const value of volume.values) if (value > 0) ++bins[Math.min(BINS - 1, Math.floor(value * scale))];
  return bins;
}

export class Histogram {
  constructor(canvas) {
    this.canvas = canvas;
  }

  draw(volume, { colours, low, high, opacity }) {
    if (volume !== this.volume) {
      this.volume = volume;
      this.bins = counts(volume);
    }
    const width = (this.canvas.width = this.canvas.clientWidth * devicePixelRatio);
    const height = (this.canvas.height = this.canvas.clientHeight * devicePixelRatio);
    const pen = this.canvas.getContext('2d');
    const stops = colourStops(colours);
    const most = Math.log1p(Math.max(...this.bins));
    const range = Math.max(high - low, 1e-3);
    this.bins.forEach((count, i) => {
      const share = (i + 0.5) / BINS;
      const tall = most > 0 ? (Math.log1p(count) / most) * height * 0.94 : 0;
      pen.globalAlpha = share < low ? 0.25 : 1;
      pen.fillStyle = cssColour(colourAt(stops, (share - low) / range));
      pen.fillRect((i / BINS) * width, height - tall, width / BINS + 0.5, tall);
    });
    pen.globalAlpha = 1;
    pen.strokeStyle = getComputedStyle(this.canvas).color;
    pen.lineWidth = 1.5 * devicePixelRatio;
    const top = height * (1 - 0.94 * opacity);
    pen.beginPath();
    pen.moveTo(0, height - 1);
    pen.lineTo(low * width, height - 1);
    pen.lineTo((low + range) * width, top);
    pen.lineTo(width, top);
    pen.stroke();
  }
}
