// The peaks of the density that is shown, as `skde peaks` finds them: buttons that put the cross-hair there.

import { coordinateText, percentText, shortNumber } from './number_text.js';

const MOST = 20;

/// Fills the list with peaks, the highest first. `onPlace` takes a place as shares of the box.
export function showPeaks(list, peaks, { lower, upper }, onPlace) {
  list.replaceChildren(...peaks.slice(0, MOST).map(({ place, density, mass }) => {
    const text = place.map((value, axis) => coordinateText(value, upper[axis] - lower[axis], 3)).join(', ');
    const button = Object.assign(document.createElement('button'), { type: 'button', className: 'plain', textContent: text,
      title: `density ${shortNumber(density, 4)}, ${percentText(mass)} of the mass in its basin` });
    button.addEventListener('click', () => onPlace(place.map((value, axis) =>
      Math.min(Math.max((value - lower[axis]) / (upper[axis] - lower[axis]), 0), 1))));
    const row = document.createElement('li');
    row.append(button);
    return row;
  }));
}
