// The three-dimensional view, drawn by WebGL 2: samples, slices and volume. Samples and slices are
// drawn first; rays through the volume end at them.

import { colourTable, inkOf, isDark, mapColour } from './colour_maps.js';
import { Programs } from './programs.js';
import { opacityAt, shareOf, valueAt } from './transfer_function.js';
import { makeTexture, VolumeTextures } from './volume_textures.js';
import { sum, unit } from './camera.js';

const LAYERS_OF_DIAGONAL = 100;  // to whose thickness opacities refer
/// Of nested surfaces as seen at a right angle, the innermost first.
const SURFACE_OPACITIES = [0.85, 0.4, 0.2, 0.12];
export const MOST_SURFACES = SURFACE_OPACITIES.length;
const NEVER = 1e30;
const WHOLE = '0,0,0,1,1,1';  // of a clip box
const CORNERS = Array.from({ length: 8 }, (_, i) => [i & 1, (i >> 1) & 1, i >> 2]);
const MOST_OPACITY = 0.9999;
const SLOW = 40;  // milliseconds of a frame above which the next ones are coarser
const LEAST_SCALE = 0.2;
const REST = 150;  // milliseconds without a change, until the whole picture is drawn
const GROUNDS = { dark: [0.07, 0.075, 0.09], light: [1, 1, 1] };

/// Returns rows of r, g, b and extinction, evenly spaced on the axis: a layer lets 2^-extinction
/// of the light through.
function lookTable({ colours, points, opacity }) {
  const table = colourTable(colours);
  return Float32Array.from(table.flatMap((rgb, i) => {
    const share = Math.min(opacityAt(points, i / (table.length - 1)) * opacity, MOST_OPACITY);
    return [...rgb, -Math.log2(1 - share)];
  }));
}

/// Returns the order of columns: that of WebGL.
function transformOf({ eye, forward, right, up, half, near, far }) {
  const deep = [(far + near) / (far - near), (-2 * far * near) / (far - near)];
  const rows = [right.map((part) => part / half[0]), up.map((part) => part / half[1]), forward.map((part) => part * deep[0]), forward];
  return [0, 1, 2, 3].flatMap((column) => rows.map((row, i) =>
    (column < 3 ? row[column] : -(row[0] * eye[0] + row[1] * eye[1] + row[2] * eye[2]) + (i === 2 ? deep[1] : 0))));
}

export class Scene {
  constructor(container, camera) {
    Object.assign(this, { container, camera, look: null, count: 0, scale: 1, busy: false });
    this.canvas = document.createElement('canvas');
    container.append(this.canvas);
    const gl = (this.gl = this.canvas.getContext('webgl2', { antialias: false, depth: false, alpha: false }));
    if (!gl) throw new Error('the view needs WebGL 2, which this browser does not offer; turn hardware acceleration on');
    this.canvas.addEventListener('webglcontextlost', () => location.reload());
    gl.getExtension('EXT_color_buffer_float');
    this.programs = new Programs(gl);
    this.textures = new VolumeTextures(gl);
    this.colours = makeTexture(gl, gl.TEXTURE_2D, gl.LINEAR);
    this.under = makeTexture(gl, gl.TEXTURE_2D, gl.NEAREST);
    this.depth = makeTexture(gl, gl.TEXTURE_2D, gl.NEAREST);
    this.target = gl.createFramebuffer();
    this.points = gl.createBuffer();
    this.corners = gl.createBuffer();
    gl.enableVertexAttribArray(0);
    gl.depthFunc(gl.LEQUAL);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  }

  /// Rows of x, y, z and weight.
  setSamples(rows, space) {
    this.count = rows.length / 4;
    const places = new Float32Array(this.count * 3);
    for (let i = 0; i < this.count; ++i) places.set(space.to([rows[4 * i], rows[4 * i + 1], rows[4 * i + 2]]), 3 * i);
    this.fill(this.points, places);
  }

  fill(buffer, places) {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, buffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, places, this.gl.DYNAMIC_DRAW);
  }

  /// Sets what is drawn: the volume or null, its place (space), mode, axis, colours, points of
  /// opacities and their factor, levels of surfaces, the clip box, the cross-hair's cells, whether samples are shown.
  setLook(look) {
    this.look = look;
    if (!look.volume) return;
    this.textures.set(look.volume);
    const key = JSON.stringify([look.colours, look.points, look.opacity]);
    if (key === this.coloured) return;
    this.coloured = key;
    const { gl } = this;
    const table = lookTable(look);
    gl.bindTexture(gl.TEXTURE_2D, this.colours);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA16F, table.length / 4, 1, 0, gl.RGBA, gl.FLOAT, table);
    this.entries = table.length / 4;
  }

  /// Returns the half edges of the volume's box, negative along flipped axes, and its centre.
  box() {
    const { volume, space } = this.look;
    const half = volume.upper.map((upper, axis) => ((upper - volume.lower[axis]) / 2) * space.scale[axis]);
    return { half, centre: space.to(volume.upper.map((upper, axis) => (upper + volume.lower[axis]) / 2)) };
  }

  /// Draws soon: coarsely if the whole picture takes long, and whole when nothing changes any more.
  /// One picture at a time, so that a slow graphics card does not hold the page up.
  render() {
    clearTimeout(this.rest);
    this.container.dataset.drawn = 'waiting';
    this.changed = true;
    if (!this.busy) this.begin();
  }

  begin() {
    this.busy = true;
    requestAnimationFrame(() => {
      this.changed = false;
      const began = performance.now();
      this.draw(this.scale);
      const fence = this.gl.fenceSync(this.gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
      this.gl.flush();
      this.whenDone(fence, () => this.end(performance.now() - began));
    });
  }

  whenDone(fence, act) {
    const { gl } = this;
    if (gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.SIGNALED && !gl.isContextLost()) return setTimeout(() => this.whenDone(fence, act), 2);
    gl.deleteSync(fence);
    act();
  }

  end(milliseconds) {
    this.busy = false;
    const whole = this.scale === 1;
    const wanted = Math.max(this.scale * Math.sqrt(SLOW / milliseconds), LEAST_SCALE);
    this.scale = wanted > 0.9 ? 1 : wanted;
    if (this.changed) return this.begin();
    this.container.dataset.drawn = whole ? 'whole' : 'coarse';
    if (!whole) this.rest = setTimeout(() => this.drawWhole(), REST);
  }

  drawWhole() {
    this.draw(1);
    this.container.dataset.drawn = 'whole';
  }

  /// `scale`: pixels of the picture per pixel of the screen.
  draw(scale) {
    const { gl } = this;
    const size = [this.container.clientWidth, this.container.clientHeight].map((side) =>
      Math.max(1, Math.floor(side * devicePixelRatio * scale)));
    this.resize(size);
    const frame = this.camera.frame(this.container.clientWidth, this.container.clientHeight);
    gl.viewport(0, 0, ...size);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.clearColor(...GROUNDS[isDark() ? 'dark' : 'light'], 1);
    gl.disable(gl.DEPTH_TEST);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    if (this.look?.lines) this.drawLines(frame, this.look.lines().behind, scale);
    gl.enable(gl.DEPTH_TEST);
    if (this.look?.samples && this.count) this.drawSamples(frame, scale);
    if (this.look?.volume) this.drawLines(frame, this.cutLines(), scale);
    if (this.look?.volume && this.look.mode === 'slices') this.drawSlices(frame);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.disable(gl.DEPTH_TEST);
    this.drawVolume(frame);
    if (this.look?.lines) this.drawLines(frame, this.look.lines().before, scale);
  }

  /// Returns the edges of the clip box, as edges of each of its faces.
  cutLines() {
    const { half, centre } = this.box(), { clip } = this.look;
    if (clip.join() === WHOLE) return [];
    const at = (ends) => ends.map((end, axis) => centre[axis] + half[axis] * (2 * clip[axis + 3 * end] - 1));
    const edges = CORNERS.flatMap((from) => CORNERS.filter((to) => from.filter((end, i) => end < to[i]).length === 1 && from.every((end, i) => end <= to[i]))
      .map((to) => ({ line_from: at(from), line_to: at(to), line_width: 1.4, ink: 'mark' })));
    return [...edges, ...edges];
  }

  drawLines(frame, lines, scale) {
    const { gl, canvas: { width, height } } = this;
    gl.enable(gl.BLEND);
    gl.disableVertexAttribArray(0);
    for (const { ink = 'line', opacity = 1, line_width, ...line } of lines) {
      this.programs.get('lines').use({ ...line, transform: transformOf(frame), viewport: [width, height],
        line_width: line_width * devicePixelRatio * scale, ink: [...inkOf(ink), opacity] });
      gl.drawArrays(gl.TRIANGLES, 0, 6);
    }
    gl.enableVertexAttribArray(0);
    gl.disable(gl.BLEND);
  }

  resize([width, height]) {
    const { gl, canvas } = this;
    if (canvas.width === width && canvas.height === height && this.sized) return;
    Object.assign(canvas, { width, height });
    gl.bindTexture(gl.TEXTURE_2D, this.under);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
    gl.bindTexture(gl.TEXTURE_2D, this.depth);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.DEPTH_COMPONENT32F, width, height, 0, gl.DEPTH_COMPONENT, gl.FLOAT, null);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.under, 0);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.depth, 0);
    this.sized = true;
  }

  /// Together the discs would cover about a tenth of a unit square, as in skde-view.
  drawSamples(frame, scale) {
    const { gl, canvas: { width, height } } = this;
    const size = Math.min(Math.max(0.35 / Math.sqrt(this.count), 0.0015), 0.012);
    gl.enable(gl.BLEND);
    this.programs.get('points').use({ ...this.keptUniforms(), transform: transformOf(frame), color: inkOf('line'), viewport: [width, height],
      diameter: (size * height) / (2 * frame.half[1]), least_most: [1.8, 9].map((pixels) => pixels * devicePixelRatio * scale) });
    gl.bindBuffer(gl.ARRAY_BUFFER, this.points);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.drawArrays(gl.POINTS, 0, this.count);
    gl.disable(gl.BLEND);
  }

  /// Tells which samples are drawn: without a volume all, else those in the clip box; a side that is
  /// not clipped has no end.
  keptUniforms() {
    const clip = this.look.volume ? this.look.clip : [0, 0, 0, 1, 1, 1];
    const { half, centre } = this.look.volume ? this.box() : { half: [1, 1, 1], centre: [0, 0, 0] };
    const at = (axis, share) => (share > 0 && share < 1 ? (2 * share - 1) * half[axis] : Math.sign(half[axis]) * (share ? NEVER : -NEVER));
    const [lower, upper] = [0, 3].map((from) => [0, 1, 2].map((axis) => at(axis, clip[from + axis])));
    return { box_half: half, centre, clipped: { whole: Number(clip.join() !== WHOLE) }, clip_plane: [0, 0, 0, 1],
      clip_lower: lower.map((low, axis) => Math.min(low, upper[axis])), clip_upper: upper.map((high, axis) => Math.max(high, lower[axis])) };
  }

  drawSlices(frame) {
    const { gl } = this;
    const { half, centre } = this.box();
    const { cells, volume: { dims }, clip } = this.look;
    const at = (axis, share) => half[axis] * (2 * share - 1);
    const corners = [0, 1, 2].flatMap((across) => {
      const [right, up] = [0, 1, 2].filter((axis) => axis !== across);
      const place = (cells[across] + 0.5) / dims[across];
      if (place < clip[across] || place > clip[across + 3]) return [];
      return [[0, 0], [3, 0], [0, 3], [0, 3], [3, 0], [3, 3]].flatMap(([i, j]) => {
        const corner = [0, 0, 0];
        corner[across] = at(across, place);
        corner[right] = at(right, clip[right + i]);
        corner[up] = at(up, clip[up + j]);
        return corner;
      });
    });
    this.bindVolume();
    // Slices are about the volume's centre.
    this.programs.get('slices').use({ transform: transformOf({ ...frame, eye: sum(frame.eye, centre, -1) }), box_half: half, dims,
      ...this.axisUniforms() });
    this.fill(this.corners, new Float32Array(corners));
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.drawArrays(gl.TRIANGLES, 0, corners.length / 3);
  }

  bindVolume() {
    const { gl } = this;
    const bound = [[gl.TEXTURE_3D, this.textures.values], [gl.TEXTURE_3D, this.textures.bricks], [gl.TEXTURE_2D, this.colours],
      [gl.TEXTURE_2D, this.under], [gl.TEXTURE_2D, this.depth]];
    bound.forEach(([target, texture], i) => {
      gl.activeTexture(gl.TEXTURE0 + i);
      gl.bindTexture(target, texture);
    });
    gl.activeTexture(gl.TEXTURE7);
  }

  /// The ends of the axis are the centres of the first and the last texel.
  axisUniforms() {
    const { axis } = this.look;
    const measure = (value) => (axis.logarithmic ? Math.log2(value / this.textures.unit) : value / this.textures.unit);
    const scale = (this.entries - 1) / this.entries / (measure(axis.high) - measure(axis.low));
    return { axis_scale: scale, axis_start: 0.5 / this.entries - measure(axis.low) * scale,
      axis_logarithmic: { whole: Number(axis.logarithmic) }, volume: { whole: 0 }, colors: { whole: 2 } };
  }

  drawVolume(frame) {
    const { gl } = this;
    const { volume, mode } = this.look || {};
    const rays = volume && mode !== 'slices' ? mode : 'nothing';
    this.bindVolume();
    const uniforms = { under: { whole: 3 }, under_depth: { whole: 4 } };
    if (rays !== 'nothing') Object.assign(uniforms, this.rayUniforms(frame), this.axisUniforms(), this.modeUniforms());
    this.programs.get(rays).use(uniforms);
    gl.disableVertexAttribArray(0);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.enableVertexAttribArray(0);
  }

  rayUniforms({ eye, forward, right, up, half: [wide, tall], near, far }) {
    const { box_half: half, centre, ...clip } = this.keptUniforms();
    const { dims } = this.look.volume;
    return {
      ...clip, eye: sum(eye, centre, -1), forward, across: right.map((part) => part * wide), upwards: up.map((part) => part * tall),
      near_far: [near, far], box_half: half, dims, samples_per_cell: 1, bricks: { whole: 1 },
      layer: (2 * Math.hypot(...half)) / LAYERS_OF_DIAGONAL,
      // from behind the viewer's left shoulder
      light: unit(sum(sum(forward.map((part) => -part), up, 0.55), right, -0.35)),
    };
  }

  modeUniforms() {
    const { mode, axis, shading } = this.look;
    if (mode === 'surfaces') return this.surfaceUniforms();
    return { least_seen: this.firstSeen(axis) / this.textures.unit, shading: { whole: Number(shading) } };
  }

  /// Returns the value below which nothing is visible.
  firstSeen(axis) {
    const { mode, points } = this.look;
    if (mode === 'maximum') return axis.low;
    if (opacityAt(points, 0) > 0) return 0;
    let first = 0;
    while (first + 1 < this.entries && opacityAt(points, (first + 1) / (this.entries - 1)) === 0) ++first;
    return valueAt(axis, first / (this.entries - 1));
  }

  /// Inner surfaces are more opaque than those around them.
  surfaceUniforms() {
    const { levels, axis, colours } = this.look;
    const rising = levels.slice().sort((a, b) => a - b);
    const shades = rising.flatMap((level, i) => [...mapColour(colours, shareOf(axis, level)),
      rising.length === 1 ? 1 : SURFACE_OPACITIES[rising.length - 1 - i]]);
    const uniforms = { levels: [0, 1, 2, 3].map((i) => (i < rising.length ? rising[i] / this.textures.unit : NEVER)) };
    uniforms.least_seen = uniforms.levels[0];
    if (shades.length) uniforms.surface_colors = [...shades, ...new Array(16 - shades.length).fill(0)];
    return uniforms;
  }
}
