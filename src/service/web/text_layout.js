// Places the texts beside the axes of a box where they meet neither lines nor each other: the rule of
// viewer/ui/label_layout.cpp.

export const LETTER = 15;  // height of a line of text, in pixels
const STEPS = 12;          // of a caption away from its axis, each half a letter's height
const FARTHEST = 0.35;     // distance of a caption from its axis, as a share of the diagonal
const [EDGE, APART, OUT_OF_LINE] = [0.2 * LETTER, 0.4 * LETTER, 0.35 * LETTER];

const overlap = (one, other) => [0, 1].every((i) => one.low[i] < other.high[i] && other.low[i] < one.high[i]);
const collide = (box, other) => overlap(box, other) || overlap({ low: [box.low[0] - APART, box.low[1] + OUT_OF_LINE],
  high: [box.high[0] + APART, box.high[1] - OUT_OF_LINE] }, other);

/// Clips a line to a box, one axis after the other.
function crosses({ low, high }, [from, to]) {
  let [begin, end] = [0, 1];
  for (let i = 0; i < 2; ++i) {
    const way = to[i] - from[i] || 1e-9;
    const ends = [(low[i] - from[i]) / way, (high[i] - from[i]) / way];
    [begin, end] = [Math.max(begin, Math.min(...ends)), Math.min(end, Math.max(...ends))];
  }
  return begin < end;
}

export class TextLayout {
  /// `lines` and `size` are in pixels; `widthOf` tells the width of a line of text.
  constructor(lines, size, widthOf) {
    Object.assign(this, { lines, size, widthOf, placed: [] });
  }

  extent(text) {
    const lines = text.split('\n');
    return [Math.max(...lines.map(this.widthOf)), lines.length * LETTER];
  }

  boxAt(text, middle) {
    const half = this.extent(text).map((side) => side / 2);
    return { text, low: middle.map((value, i) => value - half[i]), high: middle.map((value, i) => value + half[i]) };
  }

  beside(text, pixel, away, farther) {
    const reach = farther + this.extent(text).reduce((sum, side, i) => sum + (Math.abs(away[i]) * side) / 2, 0);
    return this.boxAt(text, pixel.map((value, i) => value + away[i] * reach));
  }

  isFree(box, besideTicks) {
    return Math.min(...box.low) >= EDGE && box.high.every((value, i) => value <= this.size[i] - EDGE) &&
      !this.placed.some((other) => (besideTicks || !other.isTick) && collide(box, other)) && !this.lines.some((line) => crosses(box, line));
  }

  addTick(text, { pixel, away }) {
    const box = { ...this.beside(text, pixel, away, 0), isTick: true };
    if (this.isFree(box, true)) this.placed.push(box);
  }

  /// Takes the first of these texts for which there is room beyond the labels, if need be in place of some.
  addCaption(texts, places, label) {
    for (const besideTicks of [true, false])
      for (const text of texts) {
        const box = this.freePlace(text, places, label, besideTicks) || this.nearestPlace(text, places[0], besideTicks);
        if (!box) continue;
        this.placed = [...this.placed.filter((other) => !other.isTick || !collide(box, other)), box];
        return;
      }
  }

  freePlace(text, places, label, besideTicks) {
    const { away } = places[0];
    const begin = this.extent(label).reduce((sum, side, i) => sum + Math.abs(away[i]) * side, LETTER / 4);
    for (let step = 0; step < STEPS; ++step)
      for (const { pixel } of places) {
        const box = this.beside(text, pixel, away, begin + (step * LETTER) / 2);
        if (this.isFree(box, besideTicks)) return box;
      }
    return null;
  }

  nearestPlace(text, { pixel, away }, besideTicks) {
    let [best, nearest] = [null, FARTHEST * Math.hypot(...this.size)];
    const half = this.extent(text).map((side) => side / 2);
    for (let x = half[0]; x < this.size[0] - half[0]; x += LETTER / 4)
      for (let y = half[1]; y < this.size[1] - half[1]; y += LETTER / 4) {
        const way = [x - pixel[0], y - pixel[1]], distance = Math.hypot(...way);
        if (distance >= nearest || way[0] * away[0] + way[1] * away[1] < 0 || !this.isFree(this.boxAt(text, [x, y]), besideTicks)) continue;
        [best, nearest] = [this.boxAt(text, [x, y]), distance];
      }
    return best;
  }
}
