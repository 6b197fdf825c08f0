// A vtk.js window for OpenGL alone, as the ready-made one also loads WebGPU.

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
  // The window's own keys would change the view without the controls of the page.
  container.addEventListener('keypress', (event) => event.stopImmediatePropagation(), true);
  return { renderWindow, renderer, surface, interactor };
}

export function fitWindow({ surface }, container) {
  const { width, height } = container.getBoundingClientRect();
  surface.setSize(Math.max(1, Math.floor(width * devicePixelRatio)), Math.max(1, Math.floor(height * devicePixelRatio)));
}
