// The camera of the scene: moved by mouse or keys, set along an axis, or written as numbers for the
// address.

const DISTANCE = 3.5;
const ALONG = {
  x: { from: [1, 0, 0], up: [0, 0, 1] },
  y: { from: [0, -1, 0], up: [0, 0, 1] },
  z: { from: [0, 0, 1], up: [0, 1, 0] },
  oblique: { from: [0.5, -0.8, 0.42], up: [0, 0, 1] },
};
const STEP = 10;

export class ViewCamera {
  constructor(scene, onMove) {
    this.scene = scene;
    this.camera = scene.renderer.getActiveCamera();
    this.camera.setViewAngle(30);
    this.onMove = onMove;
    scene.interactor.onEndAnimation(() => onMove());
    scene.interactor.onEndMouseWheel(() => onMove());
    this.look('oblique');
  }

  look(name) {
    const { from, up } = ALONG[name];
    const length = Math.hypot(...from);
    this.camera.setFocalPoint(0, 0, 0);
    this.camera.setPosition(...from.map((part) => (part / length) * DISTANCE));
    this.camera.setViewUp(...up);
  }

  numbers() {
    return [...this.camera.getPosition(), ...this.camera.getFocalPoint(), ...this.camera.getViewUp()];
  }

  restore(numbers) {
    if (numbers.length !== 9) return this.look('oblique');
    this.camera.setPosition(...numbers.slice(0, 3));
    this.camera.setFocalPoint(...numbers.slice(3, 6));
    this.camera.setViewUp(...numbers.slice(6, 9));
  }

  /// Returns whether the key belongs to the view.
  onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return false;
    const moves = {
      ArrowLeft: () => this.camera.azimuth(STEP),
      ArrowRight: () => this.camera.azimuth(-STEP),
      ArrowUp: () => this.camera.elevation(-STEP),
      ArrowDown: () => this.camera.elevation(STEP),
      '+': () => this.camera.dolly(1.1),
      '=': () => this.camera.dolly(1.1),
      '-': () => this.camera.dolly(1 / 1.1),
      Home: () => this.look('oblique'),
      x: () => this.look('x'),
      y: () => this.look('y'),
      z: () => this.look('z'),
    };
    if (!moves[event.key]) return false;
    moves[event.key]();
    this.camera.orthogonalizeViewUp();
    this.onMove();
    return true;
  }
}
