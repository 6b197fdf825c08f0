// The mass of a density above its levels: the smallest regions that hold given shares, as
// `skde levels` finds them. Values of at least 0 sort like their bits, so they are counted by their
// upper 16 bits once, and by the lower 16 for every search.

const DIGITS = 1 << 16;
const ROUNDING = 1e-12;

/// Goes down the digits until the target is reached, or to the lowest value above 0.
function descend({ sums, counts }, target, above, cells) {
  let last = 0;
  for (let digit = DIGITS - 1; digit >= 0; --digit) {
    if (!(sums[digit] > 0)) continue;
    if (last > 0) {
      above += sums[last];
      cells += counts[last];
    }
    last = digit;
    if (above + sums[last] >= target) break;
  }
  return { digit: last, above, cells };
}

const emptyTable = () => ({ sums: new Float64Array(DIGITS), counts: new Float64Array(DIGITS) });

function valueOf(bits) {
  return new Float32Array(new Uint32Array([bits]).buffer)[0];
}

export class MassLevels {
  /// `inBox`: share of the mass in the box. The cells of coarse grids do not add up to it, so masses
  /// are relative to their sum.
  constructor({ values, spacing }, inBox) {
    this.values = values;
    this.bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
    this.cell = Math.abs(spacing[0] * spacing[1] * spacing[2]);
    this.inBox = inBox;
    this.upper = emptyTable();
    const { sums, counts } = this.upper;
    for (let i = 0; i < values.length; ++i) {
      const value = values[i];
      if (!(value > 0)) continue;
      const digit = this.bits[i] >>> 16;
      sums[digit] += value;
      ++counts[digit];
    }
    this.above = new Float64Array(DIGITS + 1);
    for (let digit = DIGITS - 1; digit >= 0; --digit) this.above[digit] = this.above[digit + 1] + sums[digit];
    this.whole = (this.above[0] * this.cell) / inBox;
  }

  /// Returns ranges of values above 0 that differ by less than 1 %, with the number of their cells.
  ranges() {
    const found = [];
    this.upper.counts.forEach((count, digit) => {
      if (count) found.push({ low: valueOf(digit << 16), high: valueOf((digit + 1) << 16), count });
    });
    return found;
  }

  /// Returns the share of the whole mass in the cells whose value is above one, to within the
  /// cells whose values differ from it by less than 1 %.
  massAbove(value) {
    const held = new Float32Array([Math.max(value, 0)]);
    const digit = new Uint32Array(held.buffer)[0] >>> 16;
    const [low, high] = [valueOf(digit << 16), valueOf((digit + 1) << 16)];
    const part = (high - held[0]) / (high - low);
    return ((this.above[digit + 1] + this.upper.sums[digit] * part) * this.cell) / this.whole;
  }

  /// Returns for each mass its level, the volume of its region, and the mass that the cells of the
  /// region hold; none of these if the box holds less.
  regions(masses) {
    const searches = masses.map((mass) => {
      const target = (mass * this.whole) / this.cell;
      return { mass, target, ...descend(this.upper, target, 0, 0) };
    });
    const tables = this.lowerTables(searches);
    return searches.map(({ mass, target, digit, above, cells }) => {
      const lower = tables.get(digit);
      const found = descend(lower, target, above, cells);
      const level = valueOf(((digit << 16) | found.digit) >>> 0);
      const equal = lower.counts[found.digit];
      const taken = Math.min(Math.max(Math.ceil((target - found.above) / level), 1), equal);
      const held = ((found.above + taken * level) * this.cell) / this.whole;
      if (!(held >= mass * (1 - ROUNDING))) return { mass };
      return { mass, level, volume: (found.cells + taken) * this.cell, held };
    });
  }

  lowerTables(searches) {
    const tables = new Map(searches.map(({ digit }) => [digit, emptyTable()]));
    const all = new Array(DIGITS).fill(null);
    for (const [digit, table] of tables) all[digit] = table;
    const { bits, values } = this;
    for (let i = 0; i < bits.length; ++i) {
      const table = all[bits[i] >>> 16];
      if (!table || !(values[i] > 0)) continue;
      const digit = bits[i] & (DIGITS - 1);
      table.sums[digit] += values[i];
      ++table.counts[digit];
    }
    return tables;
  }
}
