// The layer above the three-dimensional view: the box with its coordinates, the colour bar with its
// units, and the places that were pinned.

import { dot, sum } from './camera.js';
import { colourAt, cssColour } from './colour_maps.js';
import { axisCaption, chooseTicks, percentText, shortNumber, valueTicks } from './number_text.js';
import { shareOf } from './transfer_function.js';

const LEAST_STRETCH = 1.005;  // that is mentioned
const EDGES = [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];

const corner = (box, index) => [0, 1, 2].map((axis) => ((index >> axis) & 1 ? box.upper : box.lower)[axis]);

export class Overlay {
  constructor(canvas, camera) {
    this.canvas = canvas;
    this.camera = camera;
  }

  /// Returns pixels of the page, from the upper left; null for a point behind the viewer.
  project(point) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const { eye, forward, right, up, half, near } = this.camera.frame(width, height);
    const away = sum(point, eye, -1);
    const depth = dot(away, forward);
    if (depth < near) return null;
    return [(width / 2) * (1 + dot(away, right) / (depth * half[0])), (height / 2) * (1 - dot(away, up) / (depth * half[1]))];
  }

  draw({ space, box, cloud, bar, pins }) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.canvas.width = width * devicePixelRatio;
    this.canvas.height = height * devicePixelRatio;
    const pen = this.canvas.getContext('2d');
    pen.scale(devicePixelRatio, devicePixelRatio);
    const style = getComputedStyle(this.canvas);
    pen.font = `12px ${style.fontFamily}`;
    this.ink = style.color;
    if (box) this.drawBox(pen, space, box, cloud);
    if (bar) this.drawBar(pen, bar, width, height);
    pins.forEach((place, i) => this.drawPin(pen, this.project(space.to(place)), String(i + 1)));
  }

  drawPin(pen, place, text) {
    if (!place) return;
    const [x, y] = place;
    pen.textAlign = 'left';
    pen.textBaseline = 'alphabetic';
    pen.lineJoin = 'round';
    for (const [colour, width] of [['rgb(0 0 0 / 0.75)', 3.5], ['rgb(255 232 140)', 1.5]]) {
      pen.strokeStyle = colour;
      pen.lineWidth = width;
      pen.beginPath();
      pen.moveTo(x - 6, y);
      pen.lineTo(x + 6, y);
      pen.moveTo(x, y - 6);
      pen.lineTo(x, y + 6);
      pen.stroke();
      if (width > 2) pen.strokeText(text, x + 5, y - 5);
    }
    pen.fillStyle = 'rgb(255 232 140)';
    pen.fillText(text, x + 5, y - 5);
  }

  drawBox(pen, space, box, cloud) {
    const corners = [...Array(8).keys()].map((index) => this.project(space.to(corner(box, index))));
    if (corners.includes(null)) return;  // the viewer is in the box
    pen.strokeStyle = this.ink;
    pen.lineWidth = 1;
    pen.globalAlpha = 0.28;
    pen.beginPath();
    for (const [from, to] of EDGES) {
      pen.moveTo(...corners[from]);
      pen.lineTo(...corners[to]);
    }
    pen.stroke();
    pen.globalAlpha = 1;
    const centre = corners.reduce((sum, [x, y]) => [sum[0] + x / 8, sum[1] + y / 8], [0, 0]);
    for (let axis = 0; axis < 3; ++axis) this.drawAxis(pen, corners, centre, axis, box, cloud, space.stretch(axis), space.flipped);
  }

  /// Draws along the edge that lies farthest out, preferably low in the picture.
  drawAxis(pen, corners, centre, axis, box, { names, units }, stretch, down) {
    const away = ([x, y]) => Math.hypot(x - centre[0], y - centre[1]) + (axis < 2 ? y : x < centre[0] ? 1 : 0) * 0.6;
    const edges = EDGES.filter(([from, to]) => to - from === 1 << axis);
    const middle = ([from, to]) => [0, 1].map((at) => (corners[from][at] + corners[to][at]) / 2);
    const edge = edges.reduce((best, other) => (away(middle(other)) > away(middle(best)) ? other : best));
    const [from, to] = edge.map((index) => corners[index]);
    const pixels = Math.hypot(to[0] - from[0], to[1] - from[1]);
    if (pixels < 20) return;
    const out = middle(edge).map((value, at) => value - centre[at]);
    const length = Math.hypot(...out) || 1;
    pen.textAlign = out[0] / length > 0.4 ? 'left' : out[0] / length < -0.4 ? 'right' : 'center';
    pen.textBaseline = 'middle';
    const text = (share, words, distance, line = 0) => {
      const [x, y] = [0, 15 * line].map((down, at) => from[at] + (to[at] - from[at]) * share + (out[at] / length) * distance + down);
      const wide = pen.measureText(words).width * { left: 0, center: 0.5, right: 1 }[pen.textAlign];
      pen.fillText(words, Math.max(x, wide + 8), Math.min(y, this.canvas.clientHeight - 9));
    };
    pen.fillStyle = this.ink;
    pen.globalAlpha = 0.75;
    const extent = box.upper[axis] - box.lower[axis];
    const ticks = chooseTicks(box.lower[axis], box.upper[axis], Math.min(5, Math.ceil(pixels / 40)));
    ticks.positions.forEach((tick, i) => text((tick - box.lower[axis]) / extent, ticks.labels[i], 14));
    const beyond = pen.textAlign === 'center' ? 46 : 30 + Math.max(...ticks.labels.map((label) => pen.measureText(label).width));
    const around = ticks.positions.slice((ticks.positions.length >> 1) - 1, (ticks.positions.length >> 1) + 1);
    // Between two ticks, as there may be no room beyond their labels.
    const place = pen.textAlign === 'center' || around.length < 2 ? 0.5 : ((around[0] + around[1]) / 2 - box.lower[axis]) / extent;
    pen.globalAlpha = 1;
    pen.font = pen.font.replace(/^/, '600 ');
    text(place, axisCaption(names[axis] + (down && axis === 2 ? ', downwards' : ''), ticks, units[axis]), beyond);
    if (stretch > LEAST_STRETCH) text(place, `stretched ${shortNumber(stretch)}×`, beyond, 1);
    pen.font = pen.font.replace(/^600 /, '');
  }

  drawBar(pen, { colours, axis, unit, named }, width, height) {
    const tall = Math.min(220, height * (width > height ? 0.45 : 0.25));
    const [left, top] = [width - 92, 52];  // away from the labels of the axes
    for (let i = 0; i < tall; ++i) {
      pen.fillStyle = cssColour(colourAt(colours, 1 - i / tall));
      pen.fillRect(left, top + i, 14, 1.5);
    }
    pen.fillStyle = this.ink;
    pen.textAlign = 'left';
    pen.textBaseline = 'middle';
    const ticks = valueTicks(axis, Math.max(2, Math.floor(tall / 40)));
    [...ticks.positions, ...ticks.minor].forEach((tick, i) => {
      const y = top + tall * (1 - shareOf(axis, tick));
      pen.fillRect(left + 14, y - 0.5, i < ticks.labels.length ? 4 : 2, 1);
      pen.fillText(ticks.labels[i] ?? '', left + 22, y);
    });
    pen.textAlign = 'right';
    let last = top - 26;  // no name is drawn over another
    for (const { level, mass } of named.filter((region) => region.level).sort((a, b) => b.level - a.level)) {
      const y = top + tall * (1 - shareOf(axis, level));
      pen.fillRect(left, y - 0.75, 14, 1.5);
      pen.beginPath();
      pen.moveTo(left, y);
      pen.lineTo(left - 8, y - 5);
      pen.lineTo(left - 8, y + 5);
      pen.fill();
      pen.fillText(percentText(mass), left - 11, (last = Math.max(y, last + 13)));
    }
    pen.textBaseline = 'alphabetic';
    axisCaption('density', ticks, unit).split(/ (?=\()/).forEach((line, i) => pen.fillText(line, width - 12, top - 27 + 15 * i));
  }
}
