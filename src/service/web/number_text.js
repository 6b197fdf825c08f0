// Formats numbers for people.

export function shortNumber(value, digits = 3) {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split('e');
    return `${Number(mantissa)}e${Number(exponent)}`;
  }
  return String(Number(value.toPrecision(digits)));
}

export const percentText = (share) => `${Number((100 * share).toPrecision(4))} %`;

/// Returns a coordinate with the digits that suit a box of this extent.
export function coordinateText(value, extent, digits = 5) {
  if (!(extent > 0) || Math.abs(value) >= 1e12) return shortNumber(value, 6);
  const leading = Math.floor(Math.log10(extent));
  if (leading < -9) return String(Number(value.toPrecision(12)));
  return String(Number(value.toFixed(Math.max(0, digits - leading))) + 0);
}

/// Returns a few round numbers between two limits.
export function ticksBetween(low, high, wanted = 5) {
  const rough = (high - low) / wanted;
  if (!(rough > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i <= Math.floor(high / step + 1e-9); ++i) ticks.push(i * step);
  return ticks;
}

/// Returns the powers of ten between two limits, with their doubles and fivefolds if there are few.
export function logarithmicTicks(low, high) {
  const decades = Math.log10(high / low);
  const factors = decades > 2 ? [1] : decades > 1 ? [1, 2, 5] : [1, 2, 3, 5, 7];
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); ++power)
    for (const factor of factors) ticks.push(Number(`${factor}e${power}`));
  const inside = ticks.filter((tick) => tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9));
  return inside.length > 1 ? inside : ticksBetween(low, high, 3);
}

export function byteText(bytes) {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), 3);
  return `${shortNumber(bytes / 1024 ** power)} ${units[power]}`;
}
