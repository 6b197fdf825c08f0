// Readings of the probe: the box beside the pointer, and the table of the places that were pinned.

import { coordinateText, plain, shortNumber } from './number_text.js';

const titled = (name, unit) => (unit ? `${name} (${unit})` : name);

/// How readings of a cloud are told: names and units, and the extent of the box.
export function readingTexts(cloud, volume) {
  const extent = volume.upper.map((upper, axis) => upper - volume.lower[axis]);
  return { names: cloud.names, units: cloud.units, densityUnit: cloud.densityUnit, extent };
}

function columnsOf({ names, units, densityUnit }) {
  return [...names.map((name, axis) => titled(name, units[axis])), titled('density', densityUnit), 'mass above'];
}

/// Returns the table of readings (place, density, massAbove) with tabs between columns.
export function tableText(readings, texts) {
  const rows = readings.map(({ place, density, massAbove }) => [
    ...place.map((value, axis) => plain(coordinateText(value, texts.extent[axis]))), String(Number(density.toPrecision(7))), massAbove.toFixed(5)]);
  return [columnsOf(texts), ...rows].map((row) => `${row.join('\t')}\n`).join('');
}

/// Returns pairs of a name and a value.
export function linesOf({ place, density, massAbove }, { names, units, densityUnit, extent }) {
  const lines = place.map((value, axis) => [names[axis], `${coordinateText(value, extent[axis])} ${units[axis]}`]);
  return [...lines, ['density', `${shortNumber(density, 5)} ${densityUnit}`], ['mass above it', `${shortNumber(100 * massAbove, 4)} %`]];
}

/// Copies a text; returns whether the browser let it. Pages that are not from this machine and not
/// encrypted have no clipboard but that of a selection.
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const before = document.activeElement;
    const field = Object.assign(document.createElement('textarea'), { value: text });
    document.body.append(field);
    field.select();
    const copied = document.execCommand('copy');
    field.remove();
    before?.focus();
    return copied;
  }
}

/// Shows a reading beside a pixel of the stage, or hides the box if there is none.
export function showReading(box, reading, texts, [x, y] = [0, 0]) {
  box.hidden = !reading;
  if (!reading) return;
  box.replaceChildren(...linesOf(reading, texts).flatMap(([name, value]) => [
    Object.assign(document.createElement('dt'), { textContent: name }), Object.assign(document.createElement('dd'), { textContent: value })]));
  const stage = box.parentElement;
  const beside = (at, length, room) => (at + 14 + length <= room ? at + 14 : Math.max(0, at - 14 - length));
  box.style.left = `${beside(x, box.offsetWidth, stage.clientWidth)}px`;
  box.style.top = `${beside(y, box.offsetHeight, stage.clientHeight)}px`;
}

export class PinTable {
  /// `onRemove(index)`.
  constructor(table, onRemove) {
    Object.assign(this, { table, onRemove });
  }

  show(readings, texts) {
    this.text = readings.length ? tableText(readings, texts) : '';
    if (!readings.length) return this.table.replaceChildren();
    const cell = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });
    const row = (cells) => {
      const line = document.createElement('tr');
      line.append(...cells);
      return line;
    };
    const head = row([cell('th', ''), ...columnsOf(texts).map((name) => cell('th', name)), cell('th', '')]);
    this.table.replaceChildren(head, ...readings.map(({ place, density, massAbove }, i) => {
      const remove = Object.assign(cell('button', '×'), { type: 'button', className: 'plain', ariaLabel: `Remove pin ${i + 1}` });
      remove.addEventListener('click', () => this.onRemove(i));
      const last = document.createElement('td');
      last.append(remove);
      return row([cell('th', String(i + 1)), ...place.map((value, axis) => cell('td', coordinateText(value, texts.extent[axis]))),
        cell('td', shortNumber(density, 4)), cell('td', `${shortNumber(100 * massAbove, 4)} %`), last]);
    }));
  }
}
