// The texts above the three-dimensional view: the coordinates of the box, the colour bar with its
// units, and the places that were pinned.

import { dot, sum } from './camera.js';
import { colourAt, cssColour, inkOf } from './colour_maps.js';
import { boxLines } from './box_lines.js';
import { axisCaption, percentText, shortNumber, valueTicks } from './number_text.js';
import { LETTER, TextLayout } from './text_layout.js';
import { shareOf } from './transfer_function.js';

const LEAST_STRETCH = 1.005;  // that is mentioned

export class Overlay {
  constructor(canvas, camera) {
    this.canvas = canvas;
    this.camera = camera;
    this.view = canvas.previousElementSibling;
  }

  /// Returns pixels of the page, from the upper left; null for a point behind the viewer.
  project(point) {
    const { clientWidth: width, clientHeight: height } = this.view;
    const { eye, forward, right, up, half, near } = this.camera.frame(width, height);
    const away = sum(point, eye, -1);
    const depth = dot(away, forward);
    if (depth < near) return null;
    return [(width / 2) * (1 + dot(away, right) / (depth * half[0])), (height / 2) * (1 - dot(away, up) / (depth * half[1]))];
  }

  draw({ space, lines, cloud, bar, pins }) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    this.canvas.width = width * devicePixelRatio;
    this.canvas.height = height * devicePixelRatio;
    const pen = this.canvas.getContext('2d');
    pen.scale(devicePixelRatio, devicePixelRatio);
    pen.font = `13px ${getComputedStyle(this.canvas).fontFamily}`;
    this.ink = cssColour(inkOf('line'));
    if (lines) this.drawAxes(pen, lines, space, cloud);
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

  /// Returns the lines of a box and the places of its texts.
  boxLines(box, space) {
    const { clientWidth: width, clientHeight: height } = this.view;
    return boxLines(box, space, this.camera.frame(width, height), (point) => this.project(point), height);
  }

  drawAxes(pen, { behind, before, axes }, space, { names, units }) {
    Object.assign(pen, { fillStyle: this.ink, textAlign: 'left', textBaseline: 'middle' });
    const lines = [...behind, ...before].map(({ line_from: from, line_to: to }) => [from, to].map((place) => this.project(place)));
    const { clientWidth: width, clientHeight: height } = this.view;
    const layout = new TextLayout(lines.filter((ends) => !ends.includes(null)), [width, height], (text) => pen.measureText(text).width);
    for (const { ticks, labels } of axes) labels.forEach((place, i) => place && layout.addTick(ticks.labels[i], place));
    for (const { axis, ticks, captions } of axes) {
      const text = axisCaption(names[axis], ticks, units[axis]), stretch = space.stretch(axis), down = space.flipped && axis === 2;
      const by = `${shortNumber(stretch)}×`, longest = ticks.labels.reduce((most, label) => (label.length > most.length ? label : most));
      const unlike = [`${text}\nstretched ${by}${down ? ', downwards' : ''}`, `${text}\n${by}`, `${text} ${by}`];
      const texts = stretch >= LEAST_STRETCH ? unlike : down ? [`${text}\ndownwards`, text] : [text];
      if (captions[0]) layout.addCaption(texts, captions.filter((place) => place), longest);
    }
    for (const { text, low } of layout.placed)
      text.split('\n').forEach((line, i) => pen.fillText(line, low[0], low[1] + LETTER * (i + 0.5)));
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
