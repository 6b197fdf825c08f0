// Three slices through the cross-hair, as separate pictures; clicks and arrow keys move it.

import { colourTable } from './colour_maps.js';
import { coordinateText } from './number_text.js';
import { shareOf } from './transfer_function.js';

const TALLEST = 150;
// `across` is the axis that is normal to a slice; `right` and `up` are the axes in its plane.
const PLANES = [{ id: 'plane-z', across: 2, right: 0, up: 1 }, { id: 'plane-y', across: 1, right: 0, up: 2 },
  { id: 'plane-x', across: 0, right: 1, up: 2 }];

export const cellsOf = (volume, cross) => cross.map((share, axis) =>
  Math.min(Math.floor(share * volume.dims[axis]), volume.dims[axis] - 1));

export class Planes {
  constructor(onCross) {
    this.onCross = onCross;
    for (const plane of PLANES) {
      plane.canvas = document.getElementById(plane.id);
      plane.caption = plane.canvas.nextElementSibling;
      const point = (event) => this.moveTo(plane, event);
      plane.canvas.addEventListener('pointerdown', (event) => {
        plane.canvas.setPointerCapture(event.pointerId);
        point(event);
      });
      plane.canvas.addEventListener('pointermove', (event) => event.buttons && point(event));
      plane.canvas.addEventListener('keydown', (event) => this.onKey(plane, event));
    }
  }

  downwards(plane) {
    return plane.up === 2 && this.flipped;
  }

  moveTo({ canvas, right, up, ...plane }, event) {
    if (!this.volume) return;
    const box = canvas.getBoundingClientRect();
    const [x, y] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    const cross = this.cross.slice();
    cross[right] = Math.min(Math.max(x, 0), 1);
    cross[up] = Math.min(Math.max(this.downwards({ up, ...plane }) ? y : 1 - y, 0), 1);
    this.onCross(cross);
  }

  onKey(plane, event) {
    const sign = this.downwards(plane) ? -1 : 1;
    const steps = { ArrowLeft: [plane.right, -1], ArrowRight: [plane.right, 1], ArrowUp: [plane.up, sign],
      ArrowDown: [plane.up, -sign], PageUp: [plane.across, 1], PageDown: [plane.across, -1] };
    if (!this.volume || !steps[event.key]) return;
    event.preventDefault();
    const [axis, step] = steps[event.key];
    const cross = this.cross.slice();
    cross[axis] = Math.min(Math.max(cross[axis] + step / this.volume.dims[axis], 0), 1);
    this.onCross(cross);
  }

  draw(volume, { cross, cells, colours, axis }, names, space) {
    Object.assign(this, { volume, cross, space, flipped: space.flipped });
    const table = colourTable(colours).map((rgb) => rgb.map((part) => 255 * part));
    for (const plane of PLANES) {
      this.drawPlane(plane, cells, table, axis);
      const { across } = plane;
      const place = volume.origin[across] + cells[across] * volume.spacing[across];
      plane.caption.textContent = `${names[plane.up]} over ${names[plane.right]}, at ${names[across]} ${coordinateText(place, volume.upper[across] - volume.lower[across], 3)}`;
      plane.canvas.setAttribute('aria-label', `Slice, ${plane.caption.textContent}`);
    }
    return volume.values[cells[0] + volume.dims[0] * (cells[1] + volume.dims[1] * cells[2])];
  }

  drawPlane(plane, cells, table, axis) {
    const { dims, values } = this.volume;
    const [width, height] = [dims[plane.right], dims[plane.up]];
    const strides = [1, dims[0], dims[0] * dims[1]];
    const picture = new ImageData(width, height);
    const begin = cells[plane.across] * strides[plane.across];
    for (let row = 0; row < height; ++row) {
      const up = this.downwards(plane) ? row : height - 1 - row;
      for (let i = 0; i < width; ++i) {
        const value = values[begin + i * strides[plane.right] + up * strides[plane.up]];
        picture.data.set([...table[Math.round(shareOf(axis, value) * (table.length - 1))], 255], 4 * (row * width + i));
      }
    }
    const { canvas } = plane;
    const side = (axis) => (this.volume.upper[axis] - this.volume.lower[axis]) * Math.abs(this.space.scale[axis]);
    const tall = side(plane.up) / side(plane.right);
    const wide = Math.min(canvas.parentElement.clientWidth, TALLEST / tall);
    canvas.style.width = `${wide}px`;
    canvas.style.height = `${Math.max(wide * tall, 40)}px`;
    const small = new OffscreenCanvas(width, height);
    small.getContext('2d').putImageData(picture, 0, 0);
    canvas.width = canvas.clientWidth * devicePixelRatio;
    canvas.height = canvas.clientHeight * devicePixelRatio;
    const pen = canvas.getContext('2d');
    pen.drawImage(small, 0, 0, canvas.width, canvas.height);
    this.drawCross(pen, plane, canvas);
  }

  drawCross(pen, plane, { width, height }) {
    const x = this.cross[plane.right] * width;
    const share = this.cross[plane.up];
    const y = (this.downwards(plane) ? share : 1 - share) * height;
    for (const [colour, wide] of [['rgb(0 0 0 / 0.45)', 3], ['rgb(255 255 255 / 0.9)', 1]]) {
      pen.strokeStyle = colour;
      pen.lineWidth = wide * devicePixelRatio;
      pen.beginPath();
      pen.moveTo(x, 0);
      pen.lineTo(x, height);
      pen.moveTo(0, y);
      pen.lineTo(width, y);
      pen.stroke();
    }
  }
}
