// Colours of density: maps of evenly increasing lightness. On a light page they are reversed and
// begin with the colour of the page, so that high densities are dark and zero is invisible.

const MAPS = {
  viridis: '440154 482878 3e4989 31688e 26828e 1f9e89 35b779 6ece58 b5de2b fde725',
  inferno: '000004 1b0c41 4a0c6b 781c6d a52c60 cf4446 ed6925 fb9b06 f7d13d fcffa4',
  cividis: '00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 e1cc55 fee838',
  greys: '252a30 f4f6f8',
};
const PAPER = [0.97, 0.975, 0.98];

export const isDark = () => matchMedia('(prefers-color-scheme: dark)').matches;

/// Evenly spaced [r, g, b], each from 0 to 1.
export function colourStops(name) {
  const stops = (MAPS[name] || MAPS.viridis).split(' ').map((hex) =>
    [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255));
  return isDark() ? stops : [PAPER, ...stops.reverse().slice(1)];
}

export function colourAt(stops, share) {
  const place = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const index = Math.min(Math.floor(place), stops.length - 2);
  return stops[index].map((low, channel) => low + (stops[index + 1][channel] - low) * (place - index));
}

/// Returns 256 rows of r, g, b as bytes.
export function colourTable(name) {
  const stops = colourStops(name);
  const table = new Uint8ClampedArray(256 * 3);
  for (let i = 0; i < 256; ++i) colourAt(stops, i / 255).forEach((value, channel) => (table[3 * i + channel] = value * 255));
  return table;
}

export const cssColour = (rgb) => `rgb(${rgb.map((value) => Math.round(value * 255)).join(' ')})`;
