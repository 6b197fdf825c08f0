// Pointers over the view: drags turn it, drags with Shift or another button move it, the wheel and
// two fingers zoom, a click or a tap tells its place, and hovering too.

const CLICK = 4;  // pixels that a pointer may move in a click
const WHEEL = 0.0015;

export class PointerInput {
  constructor(element, camera, { onClick, onHover }) {
    Object.assign(this, { element, camera, onClick, onHover });
    this.held = new Map();
    element.addEventListener('pointerdown', (event) => this.down(event));
    element.addEventListener('pointermove', (event) => this.move(event));
    for (const type of ['pointerup', 'pointercancel']) element.addEventListener(type, (event) => this.up(event));
    element.addEventListener('pointerleave', () => onHover(null));
    element.addEventListener('contextmenu', (event) => event.preventDefault());
    element.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
  }

  place(event) {
    const box = this.element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  get size() {
    return { width: this.element.clientWidth, height: this.element.clientHeight };
  }

  down(event) {
    this.element.setPointerCapture(event.pointerId);
    this.held.set(event.pointerId, this.place(event));
    this.travel = this.held.size === 1 && event.button === 0 ? 0 : Infinity;
  }

  move(event) {
    const place = this.place(event);
    const before = this.held.get(event.pointerId);
    if (!before) return this.onHover(place);
    const drag = [place[0] - before[0], place[1] - before[1]];
    this.travel += Math.hypot(...drag);
    const others = [...this.held].filter(([id]) => id !== event.pointerId);
    this.held.set(event.pointerId, place);
    if (this.travel <= CLICK) return;
    this.onHover(null);
    if (others.length) this.pinch(others[0][1], before, place);
    else if (event.shiftKey || event.buttons & ~1) this.camera.pan(drag, this.size);
    else this.camera.drag(drag, this.size);
    this.camera.onMove();
  }

  pinch(other, before, place) {
    const apart = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]) || 1;
    this.camera.dolly(apart(place) / apart(before));
    this.camera.pan([(place[0] - before[0]) / 2, (place[1] - before[1]) / 2], this.size);
  }

  up(event) {
    if (this.held.delete(event.pointerId) && event.type === 'pointerup' && this.travel <= CLICK) this.onClick(this.place(event));
  }

  wheel(event) {
    event.preventDefault();
    const pixels = event.deltaY * [1, 16, this.size.height][event.deltaMode];
    this.camera.dolly(Math.exp(-WHEEL * Math.min(Math.max(pixels, -400), 400)));
    this.camera.onMove();
  }
}
