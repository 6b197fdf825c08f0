// The mass levels of the view as rows of the form: the share of the mass on a slider, volume and
// density of its region, and a button that removes it.

import { MOST_SURFACES } from './scene.js';
import { percentText, shortNumber } from './number_text.js';

const LEAST = 0.01;

/// Returns the masses after one of them moves as far as its neighbours allow.
export function movedMass(masses, index, wanted) {
  const now = masses[index];
  const others = masses.filter((_, i) => i !== index);
  const least = Math.max(LEAST, ...others.filter((mass) => mass < now).map((mass) => mass + LEAST));
  const most = Math.min(1 - LEAST, ...others.filter((mass) => mass > now).map((mass) => mass - LEAST));
  const mass = least > most ? now : Math.min(Math.max(wanted, least), most);
  return masses.map((other, i) => (i === index ? Number(mass.toFixed(4)) : other));
}

/// Returns the masses with one more, in the middle of the widest gap.
export function withOneMore(masses) {
  const ends = [0, ...masses.slice().sort((a, b) => a - b), 1];
  const gaps = ends.slice(1).map((end, i) => end - ends[i]);
  const widest = gaps.indexOf(Math.max(...gaps));
  return [...masses, Number((ends[widest] + gaps[widest] / 2).toFixed(2))].sort((a, b) => a - b);
}

export class MassRows {
  constructor(list, add, onMasses) {
    Object.assign(this, { list, add, onMasses, masses: [] });
    add.addEventListener('click', () => onMasses(withOneMore(this.masses)));
  }

  /// `regions`: mass, level and volume of each, or nothing but the mass if the box holds less.
  show(masses, regions, { volumeUnit, inBox }) {
    this.masses = masses;
    while (this.list.children.length > masses.length) this.list.lastChild.remove();
    while (this.list.children.length < masses.length) this.list.append(this.makeRow(this.list.children.length));
    this.add.hidden = masses.length >= MOST_SURFACES;
    masses.forEach((mass, i) => {
      const [title, input, remove, about] = ['b', 'input', 'button', 'output'].map((tag) => this.list.children[i].querySelector(tag));
      const { level, volume } = regions[i] || {};
      title.textContent = percentText(mass);
      if (Number(input.value) !== mass) input.value = mass;
      about.textContent = level ? `${shortNumber(volume, 4)} ${volumeUnit}, density from ${shortNumber(level, 4)}` :
        regions[i] ? `the box holds only ${percentText(inBox)}` : '';
      input.setAttribute('aria-valuetext', `${title.textContent} of the mass: ${about.textContent}`);
      remove.disabled = masses.length === 1;
    });
  }

  makeRow(index) {
    const row = document.createElement('li');
    const title = document.createElement('b');
    const input = Object.assign(document.createElement('input'), { type: 'range', min: LEAST, max: 1 - LEAST, step: 'any' });
    input.setAttribute('aria-label', `Mass within surface ${index + 1}`);
    input.addEventListener('input', () => this.onMasses(movedMass(this.masses, index, Number(input.value))));
    input.addEventListener('keydown', (event) => this.onKey(event, index));
    const remove = Object.assign(document.createElement('button'), { type: 'button', textContent: '×', className: 'plain' });
    remove.setAttribute('aria-label', `Remove surface ${index + 1}`);
    remove.addEventListener('click', () => this.onMasses(this.masses.filter((_, i) => i !== index)));
    row.append(title, input, remove, document.createElement('output'));
    return row;
  }

  /// Arrow keys move by whole percents.
  onKey(event, index) {
    const steps = { ArrowLeft: -0.01, ArrowDown: -0.01, ArrowRight: 0.01, ArrowUp: 0.01, PageDown: -0.1, PageUp: 0.1 };
    if (!steps[event.key]) return;
    event.preventDefault();
    this.onMasses(movedMass(this.masses, index, Math.round((this.masses[index] + steps[event.key]) * 100) / 100));
  }
}
