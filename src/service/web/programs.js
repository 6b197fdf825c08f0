// Shader programs of WebGL 2. They include the files of skde-view's shaders, so that both light and
// colour alike.

import clip from '../../../shaders/clip.glsl';
import cut from '../../../shaders/cut.glsl';
import hash from '../../../shaders/hash.glsl';
import lighting from '../../../shaders/lighting.glsl';
import nestedSurfaces from '../../../shaders/nested_surfaces.glsl';
import rayAim from '../../../shaders/ray_aim.glsl';
import shading from '../../../shaders/shading.glsl';
import surface from '../../../shaders/surface.glsl';
import thickSegment from '../../../shaders/thick_segment.glsl';
import valueAxis from '../../../shaders/value_axis.glsl';
import lines from './lines.glsl';
import objects from './objects.glsl';
import march from './volume.frag.glsl';

const INCLUDED = { 'clip.glsl': clip, 'cut.glsl': cut, 'hash.glsl': hash, 'lighting.glsl': lighting,
  'nested_surfaces.glsl': nestedSurfaces, 'ray_aim.glsl': rayAim, 'shading.glsl': shading, 'surface.glsl': surface, 'thick_segment.glsl': thickSegment, 'value_axis.glsl': valueAxis };
const PRELUDE = `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp sampler3D;
`;
const VOLUME = `uniform sampler3D volume;
uniform vec3 box_half;  // negative along flipped axes
uniform vec3 dims;
`;
const WHOLE_VIEW = `void main() {
  gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0, 1);
}`;

const whole = (text) => text.replace(/^#include "(.*)"$/gm, (_, name) => whole(INCLUDED[name]));

function compiled(gl, type, text) {
  const shader = gl.createShader(type);
  gl.shaderSource(shader, text);
  gl.compileShader(shader);
  return shader;
}

class Program {
  constructor(gl, vertex, fragment) {
    this.gl = gl;
    this.program = gl.createProgram();
    const shaders = [compiled(gl, gl.VERTEX_SHADER, vertex), compiled(gl, gl.FRAGMENT_SHADER, fragment)];
    for (const shader of shaders) gl.attachShader(this.program, shader);
    gl.bindAttribLocation(this.program, 0, 'position');
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS) && !gl.isContextLost()) {
      const logs = [...shaders.map((shader) => gl.getShaderInfoLog(shader)), gl.getProgramInfoLog(this.program)];
      throw new Error(`the graphics of this browser cannot draw volumes: ${logs.join(' ')}`);
    }
    this.places = new Map();
  }

  place(name) {
    if (!this.places.has(name)) this.places.set(name, this.gl.getUniformLocation(this.program, name));
    return this.places.get(name);
  }

  /// Makes it current and sets its uniforms: numbers, vectors, matrices, or {whole: number}.
  use(uniforms) {
    const { gl } = this;
    gl.useProgram(this.program);
    for (const [name, value] of Object.entries(uniforms)) {
      const place = this.place(name);
      if (typeof value === 'number') gl.uniform1f(place, value);
      else if ('whole' in value) gl.uniform1i(place, value.whole);
      else if (value.length === 16 && name === 'transform') gl.uniformMatrix4fv(place, false, value);
      else gl[`uniform${Math.min(value.length, 4)}fv`](place, value);
    }
  }
}

export class Programs {
  constructor(gl) {
    this.gl = gl;
    this.made = new Map();
  }

  get(name) {
    if (!this.made.has(name)) this.made.set(name, this.make(name));
    return this.made.get(name);
  }

  /// "points", "slices", "lines", or what the rays show: "composite", "maximum", "surfaces", "nothing".
  make(name) {
    const defined = `#define ${name.toUpperCase()}\n`;
    if (name === 'points' || name === 'slices')
      return new Program(this.gl, `${PRELUDE}#define VERTEX\n${objects}`, PRELUDE + defined + VOLUME + whole(objects));
    if (name === 'lines') return new Program(this.gl, `${PRELUDE}#define VERTEX\n${whole(lines)}`, PRELUDE + whole(lines));
    return new Program(this.gl, PRELUDE + WHOLE_VIEW, PRELUDE + defined + VOLUME + whole(march));
  }
}
