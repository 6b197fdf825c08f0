// A window of vtk.js on OpenGL alone: its own ready-made one brings WebGPU along.

import vtkInteractorStyleTrackballCamera from '@kitware/vtk.js/Interaction/Style/InteractorStyleTrackballCamera';
import vtkOpenGLRenderWindow from '@kitware/vtk.js/Rendering/OpenGL/RenderWindow';
import vtkRenderWindow from '@kitware/vtk.js/Rendering/Core/RenderWindow';
import vtkRenderWindowInteractor from '@kitware/vtk.js/Rendering/Core/RenderWindowInteractor';
import vtkRenderer from '@kitware/vtk.js/Rendering/Core/Renderer';

export function makeWindow(container) {
  const renderWindow = vtkRenderWindow.newInstance();
  const renderer = vtkRenderer.newInstance();
  renderWindow.addRenderer(renderer);
  const surface = vtkOpenGLRenderWindow.newInstance();
  surface.setContainer(container);
  renderWindow.addView(surface);
  const interactor = vtkRenderWindowInteractor.newInstance();
  interactor.setInteractorStyle(vtkInteractorStyleTrackballCamera.newInstance());
  interactor.setView(surface);
  interactor.initialize();
  interactor.bindEvents(container);
  // Its own keys would change what the page's controls tell.
  container.addEventListener('keypress', (event) => event.stopImmediatePropagation(), true);
  return { renderWindow, renderer, surface, interactor };
}

export function fitWindow({ surface }, container) {
  const { width, height } = container.getBoundingClientRect();
  surface.setSize(Math.max(1, Math.floor(width * devicePixelRatio)), Math.max(1, Math.floor(height * devicePixelRatio)));
}
