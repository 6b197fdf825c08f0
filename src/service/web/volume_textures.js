// A volume on the graphics card: its values, and the greatest value in each brick of 8 cells a side.
// Very small or large values, and those of short floats, are stored as shares of the peak.

const BRICK = 8;
const [SMALL, LARGE] = [1e-12, 1e12];  // peaks between which full floats need no other unit

/// Reduces an axis of values to maxima over bricks with the neighbours that filtering reads.
function greatestAlong({ values, dims }, axis) {
  const before = dims.slice(0, axis).reduce((product, count) => product * count, 1);
  const count = dims[axis];
  const bricks = Math.ceil(count / BRICK);
  const after = values.length / before / count;
  const found = new Float32Array(before * bricks * after);
  for (let outer = 0; outer < after; ++outer)
    for (let brick = 0; brick < bricks; ++brick) {
      const to = before * (outer * bricks + brick);
      const last = Math.min((brick + 1) * BRICK, count - 1);
      for (let cell = Math.max(brick * BRICK - 1, 0); cell <= last; ++cell) {
        const from = before * (outer * count + cell);
        for (let i = 0; i < before; ++i) if (values[from + i] > found[to + i]) found[to + i] = values[from + i];
      }
    }
  return { values: found, dims: dims.map((length, other) => (other === axis ? bricks : length)) };
}

export const brickMaxima = (volume) => [0, 1, 2].reduce(greatestAlong, volume);

export function makeTexture(gl, target, filter) {
  const texture = gl.createTexture();
  gl.bindTexture(target, texture);
  for (const wrap of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T, gl.TEXTURE_WRAP_R]) gl.texParameteri(target, wrap, gl.CLAMP_TO_EDGE);
  for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(target, side, filter);
  return texture;
}

export class VolumeTextures {
  constructor(gl) {
    this.gl = gl;
    this.format = gl.getExtension('OES_texture_float_linear') ? gl.R32F : gl.R16F;
    this.values = makeTexture(gl, gl.TEXTURE_3D, gl.LINEAR);
    this.bricks = makeTexture(gl, gl.TEXTURE_3D, gl.NEAREST);
  }

  /// `unit` becomes the density that is stored as 1.
  set(volume) {
    if (volume === this.volume) return;
    this.volume = volume;
    const most = this.gl.getParameter(this.gl.MAX_3D_TEXTURE_SIZE);
    if (Math.max(...volume.dims) > most) throw new Error(`this browser's graphics draw at most ${most} cells a side; choose fewer cells`);
    const { peak, values, dims } = volume;
    const fits = this.format === this.gl.R32F && peak > SMALL && peak < LARGE;
    this.unit = fits || !(peak > 0) ? 1 : peak;
    const stored = this.unit === 1 ? volume : { values: values.map((value) => value / this.unit), dims };
    this.upload(this.values, stored, this.format);
    this.upload(this.bricks, brickMaxima(stored), this.gl.R32F);
  }

  upload(texture, { values, dims }, format) {
    const { gl } = this;
    gl.bindTexture(gl.TEXTURE_3D, texture);
    gl.texImage3D(gl.TEXTURE_3D, 0, format, ...dims, 0, gl.RED, gl.FLOAT, values);
  }
}
