// The two formats that the page reads: NRRD as written by skde, and NPY of doubles.

const HEADER_MOST = 1 << 16;

function headerText(buffer, end) {
  return new TextDecoder().decode(new Uint8Array(buffer, 0, end));
}

function vectors(text) {
  return [...text.matchAll(/\(([^)]*)\)/g)].map((match) => match[1].split(',').map(Number));
}

/// Returns dims, spacing, origin (the centre of the first cell), values and metadata of a volume.
export function parseVolume(buffer) {
  const head = headerText(buffer, Math.min(buffer.byteLength, HEADER_MOST));
  const end = head.indexOf('\n\n');
  if (!head.startsWith('NRRD') || end < 0) throw new Error('the volume is not an NRRD file');
  const fields = new Map();
  const facts = new Map();
  for (const line of head.slice(0, end).split('\n')) {
    const match = /^([^:#]+):(=| )(.*)$/.exec(line);
    if (match) (match[2] === '=' ? facts : fields).set(match[1], match[3]);
  }
  if (fields.get('encoding') !== 'raw' || fields.get('endian') === 'big') throw new Error('the encoding of the volume must be raw');
  const dims = fields.get('sizes').split(' ').map(Number);
  const spacing = vectors(fields.get('space directions')).map((vector, axis) => vector[axis]);
  const [origin] = vectors(fields.get('space origin'));
  const bytes = buffer.slice(new TextEncoder().encode(head.slice(0, end + 2)).length);
  const values = fields.get('type') === 'double' ? Float32Array.from(new Float64Array(bytes)) : new Float32Array(bytes);
  const units = fields.get('space units');
  let peak = 0;
  for (let i = 0; i < values.length; ++i) if (values[i] > peak) peak = values[i];
  return {
    dims, spacing, origin, values, facts, peak,
    units: units ? [...units.matchAll(/"([^"]*)"/g)].map((match) => match[1]) : [],
    lower: origin.map((first, axis) => first - spacing[axis] / 2),
    upper: origin.map((first, axis) => first + spacing[axis] * (dims[axis] - 0.5)),
  };
}

/// Rows of four doubles: x, y, z, weight.
export function parsePoints(buffer) {
  const view = new DataView(buffer);
  const long = view.getUint8(6) > 1;
  const begin = (long ? 12 : 10) + (long ? view.getUint32(8, true) : view.getUint16(8, true));
  const head = headerText(buffer, begin);
  const shape = /'shape': \((\d+), 4\)/.exec(head);
  if (!shape || !head.includes("'<f8'")) throw new Error('the samples are not an NPY file of doubles');
  return new Float64Array(buffer.slice(begin, begin + Number(shape[1]) * 32));
}
