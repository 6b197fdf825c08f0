// Formats numbers for people. Ticks are those of src/pictures/axis_ticks.cpp, with which a test
// compares them.

const LABELLED = 5, SIGNIFICANT = 4;  // longer labels take an offset or an exponent
const tenTo = (power) => Number(`1e${power}`);
const decade = (value) => Math.floor(Math.log10(value) + 1e-9);
const multiple = ({ digit, power }, index) => (power < 0 ? (index * digit) / tenTo(-power) : index * digit * tenTo(power));

/// With minus signs as wide as a plus, as in print.
const typeset = (text) => text.replaceAll('-', '−');
/// What other programs can read.
export const plain = (text) => text.replaceAll('−', '-');

export function shortNumber(value, digits = 3) {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
    return typeset(`${Number(mantissa)}e${Number(exponent)}`);
  }
  return typeset(String(Number(value.toPrecision(digits))));
}

export const percentText = (share) => `${Number((100 * share).toPrecision(4))} %`;

/// Returns a coordinate with the digits that suit a box of this extent.
export function coordinateText(value, extent, digits = 5) {
  if (!(extent > 0) || Math.abs(value) >= 1e12) return shortNumber(value, 6);
  const leading = Math.floor(Math.log10(extent));
  if (leading < -9) return typeset(String(Number(value.toPrecision(12))));
  return typeset(String(Number(value.toFixed(Math.max(0, digits - leading))) + 0));
}

/// Returns the smallest of 1, 2, 5 times a power of ten that is not below a length.
function stepAbove(length) {
  const power = decade(length);
  const digit = [1, 2, 5].find((one) => length / tenTo(power) <= one * (1 + 1e-9));
  return digit ? { digit, power } : { digit: 1, power: power + 1 };
}

/// Returns a round number among the ticks, or the leading digits that they share.
function commonOffset(lower, upper, span) {
  const unit = tenTo(decade(span) + 1), slack = 1e-6 * span, middle = (0.5 * (lower + upper)) / unit;
  const round = Math.sign(middle) * Math.round(Math.abs(middle)) * unit;
  return round >= lower - slack && round <= upper + slack ? round : Math.trunc((lower > 0 ? lower : upper) / unit) * unit;
}

function labelled(positions, step) {
  const length = multiple(step, 1), last = positions[positions.length - 1];
  const most = Math.max(...positions.map(Math.abs)), decimals = Math.max(0, -step.power);
  let [offset, exponent] = [0, 0];
  if ((most >= 1 ? decade(most) + 1 : 1) + decimals > LABELLED || (most < 1e-2 && decimals > 3)) {
    if (decade(most) - step.power + 1 > SIGNIFICANT) offset = commonOffset(positions[0], last, last - positions[0] + length);
    const greatest = Math.max(1, ...positions.map((tick) => Math.round(Math.abs(tick - offset) / length))) * length;
    if (greatest >= 1e5 || length < 0.999e-3) exponent = 3 * Math.floor(decade(greatest) / 3);
  }
  const texts = positions.map((tick) => ((tick - offset) / tenTo(exponent)).toFixed(Math.max(0, exponent - step.power)));
  return { positions, labels: texts.map((text) => (/[1-9]/.test(text) ? typeset(text) : plain(text).replace('-', ''))), minor: [], offset, exponent };
}

/// Returns ticks at multiples of 1, 2 or 5 times a power of ten, over at most `intervals` steps: the
/// number at a tick is its label times 10^exponent, plus the offset.
export function chooseTicks(lower, upper, intervals) {
  const step = stepAbove((upper - lower) / Math.max(1, intervals)), length = multiple(step, 1);
  if (!(Math.max(Math.abs(lower), Math.abs(upper)) / length < 1e15))
    return { positions: [lower], labels: [String(Number(lower.toPrecision(10)))], minor: [], offset: 0, exponent: 0 };
  const slack = (1e-9 * (upper - lower)) / length, positions = [];
  for (let i = Math.ceil(lower / length - slack); i <= Math.floor(upper / length + slack); ++i)
    positions.push(Math.min(Math.max(multiple(step, i), lower), upper));
  return positions.length ? labelled(positions, step) : chooseTicks(lower, upper, intervals + 1);
}

/// Returns "10⁻³".
const powerOfTen = (power) => `10${[...String(power)].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit] ?? '⁻').join('')}`;

/// Returns ticks of an axis of values, with at most `most` labels.
export function valueTicks({ low, high, logarithmic }, most) {
  const [first, last] = logarithmic ? [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)] : [0, 0];
  if (last <= first) {
    let intervals = logarithmic ? Math.max(1, most - 1) : most + 1;
    while (!logarithmic && intervals > 1 && chooseTicks(low, high, intervals).positions.length > most) --intervals;
    return chooseTicks(low, high, intervals);
  }
  const ticks = { positions: [], labels: [], minor: [], offset: 0, exponent: 0 };
  const stride = Math.ceil((last - first + 1) / most);
  for (let power = first - 1; power <= last; ++power) {
    const at = tenTo(power), isLabelled = power >= first && power % stride === 0;
    if (power >= first) ticks[isLabelled ? 'positions' : 'minor'].push(Math.min(Math.max(at, low), high));
    if (isLabelled) ticks.labels.push(powerOfTen(power));
    for (let digit = 2; digit < 10 && stride === 1; ++digit)
      if (digit * at > low && digit * at < high) ticks.minor.push(digit * at);
  }
  return ticks;
}

/// Returns the name of an axis with what its labels leave out: "x", "x (m)", "x − 450000 (10³ m)".
export function axisCaption(name, { offset, exponent }, units) {
  const less = offset ? ` ${offset > 0 ? '−' : '+'} ${Number(Math.abs(offset).toPrecision(15))}` : '';
  const scale = [exponent ? powerOfTen(exponent) : '', units].filter(Boolean).join(' ');
  return name + less + (scale && ` (${scale})`);
}

/// Returns the unit of a density over coordinates of a unit, which may be unknown.
export const densityUnit = (units) =>
  /^[A-Za-z\u0080-\uffff]+$/.test(units) ? `${units}⁻³` : `per unit volume${units && ` in ${units}`}`;

export function byteText(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), 3);
  return `${shortNumber(bytes / 1024 ** power)} ${units[power]}`;
}
