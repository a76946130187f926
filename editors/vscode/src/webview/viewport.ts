/** Zoom and pan of one drawing in its stage. */

const SMALLEST = 0.1;
const LARGEST = 3;
// A small graph is not blown up.
const FIT_AT_MOST = 1.2;
const READABLE = 0.85;

/** An offset at which no room is wasted beside the drawing: `least` is negative where it is larger than its stage. */
const between = (least: number, wanted: number): number => (least < 0 ? Math.min(0, Math.max(least, wanted)) : least / 2);

export class Viewport {
  private svg: SVGSVGElement | undefined;
  private width = 0;
  private height = 0;
  private scale = 1;
  private x = 0;
  private y = 0;

  constructor(private readonly stage: HTMLElement) {
    stage.addEventListener('wheel', (event) => this.wheel(event), { passive: false });
    stage.addEventListener('pointerdown', (event) => this.grab(event));
    window.addEventListener('resize', () => this.place());
  }

  show(svg: SVGSVGElement, width: number, height: number): void {
    this.svg = svg;
    this.width = width + 32;
    this.height = height + 32;
    this.place();
  }

  /** Shows all of it, or, where that cannot be read, what is around a point of it. */
  begin(x: number, y: number): void {
    this.fit();
    if (this.scale < READABLE) {
      this.scale = READABLE;
      const { clientWidth, clientHeight } = this.stage;
      this.x = between(clientWidth - this.width * READABLE, clientWidth / 2 - x * READABLE);
      this.y = between(clientHeight - this.height * READABLE, clientHeight / 2 - y * READABLE);
      this.place();
    }
  }

  fit(): void {
    const { clientWidth, clientHeight } = this.stage;
    const scale = Math.min(clientWidth / this.width, clientHeight / this.height, FIT_AT_MOST);
    this.scale = Math.max(SMALLEST, scale || 1);
    this.x = Math.max(0, (clientWidth - this.width * this.scale) / 2);
    this.y = Math.max(0, (clientHeight - this.height * this.scale) / 2);
    this.place();
  }

  /** Zooms about a point of the stage, its middle if none is given. */
  zoom(factor: number, x = this.stage.clientWidth / 2, y = this.stage.clientHeight / 2): void {
    const scale = Math.min(LARGEST, Math.max(SMALLEST, this.scale * factor));
    this.x = x - ((x - this.x) * scale) / this.scale;
    this.y = y - ((y - this.y) * scale) / this.scale;
    this.scale = scale;
    this.place();
  }

  private place(): void {
    if (!this.svg) {
      return;
    }
    this.svg.setAttribute('width', String(this.width * this.scale));
    this.svg.setAttribute('height', String(this.height * this.scale));
    this.svg.style.transform = `translate(${this.x}px, ${this.y}px)`;
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) {
      const box = this.stage.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
      return;
    }
    this.x -= event.shiftKey ? event.deltaY : event.deltaX;
    this.y -= event.shiftKey ? 0 : event.deltaY;
    this.place();
  }

  private grab(event: PointerEvent): void {
    if (event.button !== 0 || (event.target instanceof Element && event.target.closest('.row, .more'))) {
      return;
    }
    const start = { x: event.clientX - this.x, y: event.clientY - this.y };
    const move = (moved: PointerEvent): void => {
      this.x = moved.clientX - start.x;
      this.y = moved.clientY - start.y;
      this.place();
    };
    const drop = (): void => {
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', drop);
      this.stage.classList.remove('grabbed');
    };
    this.stage.classList.add('grabbed');
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', drop);
  }
}
