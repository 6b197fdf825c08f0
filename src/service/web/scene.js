// The three-dimensional view: samples, the volume in every mode, box, camera. The graphics card
// gets values as shares of the peak, as densities may be smaller than half floats can represent.

import '@kitware/vtk.js/Rendering/OpenGL/Profiles/Geometry';
import '@kitware/vtk.js/Rendering/OpenGL/Profiles/Volume';
import vtkActor from '@kitware/vtk.js/Rendering/Core/Actor';
import vtkColorTransferFunction from '@kitware/vtk.js/Rendering/Core/ColorTransferFunction';
import vtkDataArray from '@kitware/vtk.js/Common/Core/DataArray';
import vtkImageData from '@kitware/vtk.js/Common/DataModel/ImageData';
import vtkImageMapper from '@kitware/vtk.js/Rendering/Core/ImageMapper';
import vtkImageMarchingCubes from '@kitware/vtk.js/Filters/General/ImageMarchingCubes';
import vtkImageSlice from '@kitware/vtk.js/Rendering/Core/ImageSlice';
import vtkMapper from '@kitware/vtk.js/Rendering/Core/Mapper';
import vtkPiecewiseFunction from '@kitware/vtk.js/Common/DataModel/PiecewiseFunction';
import vtkPlane from '@kitware/vtk.js/Common/DataModel/Plane';
import vtkPolyData from '@kitware/vtk.js/Common/DataModel/PolyData';
import vtkVolume from '@kitware/vtk.js/Rendering/Core/Volume';
import vtkVolumeMapper from '@kitware/vtk.js/Rendering/Core/VolumeMapper';
import { colourAt, colourStops, isDark } from './colour_maps.js';
import { makeWindow } from './render_window.js';

const SURFACES = { surface50: [0.5], surface95: [0.95], surfaces: [0.5, 0.95] };

export const massesOf = (mode) => SURFACES[mode] || [];

export class Scene {
  constructor(container) {
    Object.assign(this, makeWindow(container));
    this.image = null;
    this.surfaces = [];
    this.colours = vtkColorTransferFunction.newInstance();
    this.opacity = vtkPiecewiseFunction.newInstance();
    this.makeVolume();
    this.makeSlices();
    this.samples = this.makeSamples();
    this.renderer.addActor(this.samples);
  }

  makeVolume() {
    this.volumeMapper = vtkVolumeMapper.newInstance();
    this.volume = vtkVolume.newInstance();
    this.volume.setMapper(this.volumeMapper);
    const property = this.volume.getProperty();
    property.setRGBTransferFunction(0, this.colours);
    property.setScalarOpacity(0, this.opacity);
    property.setInterpolationTypeToLinear();
    property.setScalarOpacityUnitDistance(0, 0.03);
  }

  makeSlices() {
    this.slices = ['I', 'J', 'K'].map((mode) => {
      const mapper = vtkImageMapper.newInstance();
      mapper.setSlicingMode(vtkImageMapper.SlicingMode[mode]);
      const slice = vtkImageSlice.newInstance();
      slice.setMapper(mapper);
      const property = slice.getProperty();
      property.setRGBTransferFunction(0, this.colours);
      property.setUseLookupTableScalarRange(true);
      return slice;
    });
  }

  makeSamples() {
    const mapper = vtkMapper.newInstance();
    mapper.setScalarVisibility(false);
    const actor = vtkActor.newInstance();
    actor.setMapper(mapper);
    actor.getProperty().setLighting(false);
    actor.setVisibility(false);
    return actor;
  }

  /// Rows of x, y, z and weight.
  setSamples(rows, space) {
    const count = rows.length / 4;
    const points = new Float32Array(count * 3);
    const cells = new Uint32Array(count + 1);
    cells[0] = count;
    for (let i = 0; i < count; ++i) {
      points.set(space.to([rows[4 * i], rows[4 * i + 1], rows[4 * i + 2]]), 3 * i);
      cells[i + 1] = i;
    }
    const data = vtkPolyData.newInstance();
    data.getPoints().setData(points, 3);
    data.getVerts().setData(cells);
    this.samples.getMapper().setInputData(data);
    this.samples.getProperty().setPointSize((count > 20000 ? 1.5 : 2.5) * devicePixelRatio);
  }

  showSamples(shown) {
    this.samples.setVisibility(shown);
    this.samples.getProperty().setColor(...(isDark() ? [0.93, 0.75, 0.4] : [0.6, 0.28, 0.05]));
  }

  setVolume(volume, space) {
    const { dims } = volume;
    const values = new Float32Array(volume.values.length);
    const slab = dims[0] * dims[1];
    for (let k = 0; k < dims[2]; ++k) {
      const from = (space.flipped ? dims[2] - 1 - k : k) * slab;
      for (let i = 0; i < slab; ++i) values[k * slab + i] = volume.values[from + i] / volume.peak;
    }
    const first = volume.origin.slice();
    if (space.flipped) first[2] += volume.spacing[2] * (dims[2] - 1);
    const spacing = volume.spacing.map((step, axis) => Math.abs(step * space.scale[axis]));
    this.image = vtkImageData.newInstance();
    this.image.setDimensions(...dims);
    this.image.setOrigin(...space.to(first));
    this.image.setSpacing(...spacing);
    this.image.getPointData().setScalars(
      vtkDataArray.newInstance({ name: 'density', numberOfComponents: 1, values }));
    this.volumeMapper.setInputData(this.image);
    this.volumeMapper.setSampleDistance(Math.min(...spacing) * 0.7);
    this.volumeMapper.setMaximumSamplesPerRay(4000);
    for (const slice of this.slices) slice.getMapper().setInputData(this.image);
    this.flipped = space.flipped;
  }

  clearVolume() {
    this.image = null;
    this.setMode('');
  }

  setTransfer({ colours, low, high, opacity, mode }) {
    this.stops = colourStops(colours);
    const top = Math.max(high, low + 1e-3);
    this.colours.removeAllPoints();
    for (let i = 0; i <= 32; ++i) this.colours.addRGBPoint(low + ((top - low) * i) / 32, ...colourAt(this.stops, i / 32));
    this.colours.setMappingRange(low, top);
    this.opacity.removeAllPoints();
    this.opacity.addPoint(0, 0);
    this.opacity.addPoint(low + (top - low) * 0.02, 0);
    // In maximum mode a pixel shows a single value, so faint values get more opacity.
    if (mode === 'maximum') this.opacity.addPoint(low + (top - low) * 0.2, Math.min(1, 2 * opacity));
    this.opacity.addPoint(top, mode === 'maximum' ? Math.min(1, 2 * opacity) : opacity);
    this.opacity.addPoint(Math.max(1, top + 1e-3), opacity);
  }

  /// `levels`: shares of the peak that enclose the masses of the mode.
  setMode(mode, levels = []) {
    for (const actor of this.surfaces) this.renderer.removeActor(actor);
    this.surfaces = [];
    this.renderer.removeVolume(this.volume);
    for (const slice of this.slices) this.renderer.removeActor(slice);
    if (!this.image || !mode) return;
    if (mode === 'composite') this.volumeMapper.setBlendModeToComposite();
    if (mode === 'maximum') this.volumeMapper.setBlendModeToMaximumIntensity();
    if (mode === 'composite' || mode === 'maximum') this.renderer.addVolume(this.volume);
    if (mode === 'slices') for (const slice of this.slices) this.renderer.addActor(slice);
    for (const { mass, level } of levels) this.addSurface(mass, level, levels.length > 1);
  }

  addSurface(mass, level, several) {
    const cubes = vtkImageMarchingCubes.newInstance({ contourValue: level, computeNormals: true, mergePoints: true });
    cubes.setInputData(this.image);
    const mapper = vtkMapper.newInstance();
    mapper.setInputConnection(cubes.getOutputPort());
    mapper.setScalarVisibility(false);
    const actor = vtkActor.newInstance();
    actor.setMapper(mapper);
    const property = actor.getProperty();
    property.setColor(...colourAt(this.stops, mass < 0.9 ? 0.75 : 0.4));
    property.setOpacity(several && mass > 0.9 ? 0.3 : 1);
    property.setBackfaceCulling(several && mass > 0.9);
    property.setSpecular(0.15);
    property.setAmbient(0.15);
    this.renderer.addActor(actor);
    this.surfaces.push(actor);
  }

  /// Sets the lower and the upper corner as shares of the box, in data coordinates, not in the
  /// scene's.
  setClip(clip) {
    const mappers = [this.volumeMapper, ...this.surfaces.map((actor) => actor.getMapper())];
    for (const mapper of mappers) mapper.removeAllClippingPlanes();
    if (!this.image) return;
    const bounds = this.image.getBounds();
    for (let axis = 0; axis < 3; ++axis) {
      let [low, high] = [clip[axis], clip[axis + 3]];
      if (axis === 2 && this.flipped) [low, high] = [1 - high, 1 - low];
      for (const [share, sign] of [[low, 1], [high, -1]]) {
        if (share === (sign > 0 ? 0 : 1)) continue;
        const origin = [0, 0, 0];
        const normal = [0, 0, 0];
        origin[axis] = bounds[2 * axis] + share * (bounds[2 * axis + 1] - bounds[2 * axis]);
        normal[axis] = sign;
        for (const mapper of mappers) mapper.addClippingPlane(vtkPlane.newInstance({ origin, normal }));
      }
    }
  }

  /// Sets the cells of the cross-hair.
  setCross(cells) {
    if (!this.image) return;
    const last = this.image.getDimensions()[2] - 1;
    this.slices[0].getMapper().setISlice(cells[0]);
    this.slices[1].getMapper().setJSlice(cells[1]);
    this.slices[2].getMapper().setKSlice(this.flipped ? last - cells[2] : cells[2]);
  }

  render() {
    this.renderer.setBackground(...(isDark() ? [0.063, 0.075, 0.094] : [0.97, 0.975, 0.98]));
    this.renderer.resetCameraClippingRange([-1.5, 1.5, -1.5, 1.5, -1.5, 1.5]);
    this.renderWindow.render();
  }
}
