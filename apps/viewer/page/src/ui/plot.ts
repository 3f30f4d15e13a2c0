// One small plot over time on a canvas: some lines, a cursor at the current time, drag to scrub.

import { compact, el } from './dom';

export interface Series {
  name: string;
  values: Float64Array;
}

export interface PlotOptions {
  title: string;
  unit: string;
  log: boolean;
}

const HEIGHT = 74;
const LEFT = 46;
const RIGHT = 6;
const COLOURS = ['--plot-1', '--plot-2', '--plot-3', '--plot-4', '--plot-5', '--plot-6'];

export class Plot {
  readonly element: HTMLElement;
  private readonly canvas = el('canvas', { className: 'plot-canvas', height: HEIGHT });
  private readonly legend = el('span', { className: 'plot-legend' });
  private times: Float64Array = new Float64Array(0);
  private series: Series[] = [];
  private cursor = 0;
  private low = 0;
  private high = 1;

  constructor(private readonly options: PlotOptions, seek: (time: number) => void) {
    this.element = el('figure', { className: 'plot', 'data-plot': options.title, 'data-steps': 0 },
      el('figcaption', {}, el('b', {}, options.title), options.log ? '(log)' : options.unit && `[${options.unit}]`, this.legend), this.canvas);
    const scrub = (event: PointerEvent) => {
      if (event.buttons === 0 || this.times.length === 0) return;
      this.canvas.setPointerCapture(event.pointerId);
      const box = this.canvas.getBoundingClientRect();
      const part = (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
      seek(Math.min(1, Math.max(0, part)) * this.end());
    };
    this.canvas.addEventListener('pointerdown', scrub);
    this.canvas.addEventListener('pointermove', scrub);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  set(times: Float64Array, series: Series[]): void {
    [this.times, this.series] = [times, series];
    this.element.dataset.steps = String(times.length);
    this.element.hidden = series.length === 0;
    this.findRange();
    this.draw();
  }

  setCursor(time: number): void {
    this.cursor = time;
    this.draw();
  }

  private end(): number {
    return this.times[this.times.length - 1] || 1;
  }

  private scaled(value: number): number {
    return this.options.log ? Math.log10(value) : value;
  }

  private findRange(): void {
    let [low, high] = [this.options.log ? Infinity : 0, this.options.log ? -Infinity : 0];
    for (const { values } of this.series) {
      for (const value of values) {
        const y = this.scaled(value);
        if (Number.isFinite(y)) [low, high] = [Math.min(low, y), Math.max(high, y)];
      }
    }
    if (this.options.log) [low, high] = [Math.floor(low), Math.ceil(high)];
    if (!(high > low)) high = (Number.isFinite(low) ? low : 0) + 1;
    [this.low, this.high] = [Number.isFinite(low) ? low : 0, high];
  }

  draw(): void {
    const width = this.canvas.clientWidth;
    if (width === 0) return;
    const ratio = devicePixelRatio;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(HEIGHT * ratio);
    const pen = this.canvas.getContext('2d')!;
    pen.scale(ratio, ratio);
    const style = getComputedStyle(this.canvas);
    this.axes(pen, width, style);
    const x = (time: number) => LEFT + (time / this.end()) * (width - LEFT - RIGHT);
    const y = (value: number) => HEIGHT - 4 - ((this.scaled(value) - this.low) / (this.high - this.low)) * (HEIGHT - 10);
    this.series.forEach(({ values }, s) => {
      pen.strokeStyle = style.getPropertyValue(COLOURS[s % COLOURS.length]!);
      pen.lineWidth = 1.4;
      this.line(pen, values, x, y);
    });
    pen.strokeStyle = style.getPropertyValue('--accent');
    pen.lineWidth = 1;
    pen.beginPath();
    pen.moveTo(Math.round(x(Math.min(this.cursor, this.end()))) + 0.5, 2);
    pen.lineTo(Math.round(x(Math.min(this.cursor, this.end()))) + 0.5, HEIGHT - 2);
    pen.stroke();
    this.showValues(style);
  }

  private axes(pen: CanvasRenderingContext2D, width: number, style: CSSStyleDeclaration): void {
    pen.font = '10px system-ui, sans-serif';
    pen.textAlign = 'right';
    for (const [part, baseline] of [[0, 'bottom'], [1, 'top']] as const) {
      const level = this.low + part * (this.high - this.low);
      const at = HEIGHT - 4 - part * (HEIGHT - 10);
      pen.fillStyle = style.getPropertyValue('--faint');
      pen.textBaseline = baseline;
      pen.fillText(compact(this.options.log ? 10 ** level : level), LEFT - 5, at + (part ? -4 : 3));
      pen.strokeStyle = style.getPropertyValue('--line');
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(LEFT, Math.round(at) + 0.5);
      pen.lineTo(width - RIGHT, Math.round(at) + 0.5);
      pen.stroke();
    }
  }

  /** Joins the lowest and highest value of every pixel column, so that many steps cost no more than few. */
  private line(pen: CanvasRenderingContext2D, values: Float64Array, x: (t: number) => number, y: (v: number) => number): void {
    pen.beginPath();
    let started = false;
    for (let k = 0; k < values.length;) {
      const column = Math.floor(x(this.times[k]!));
      let [low, high, last] = [Infinity, -Infinity, NaN];
      for (; k < values.length && Math.floor(x(this.times[k]!)) === column; k++) {
        const at = y(values[k]!);
        if (!Number.isFinite(at)) continue;
        [low, high, last] = [Math.min(low, at), Math.max(high, at), at];
      }
      if (!Number.isFinite(last)) {
        started = false;
        continue;
      }
      if (!started) pen.moveTo(column, last);
      if (low < high) {
        pen.lineTo(column, low);
        pen.lineTo(column, high);
      }
      pen.lineTo(column, last);
      if (!started && values.length === 1) pen.lineTo(column + 2, last);
      started = true;
    }
    pen.stroke();
  }

  /** Names and values at the cursor. */
  private showValues(style: CSSStyleDeclaration): void {
    const k = lastAtOrBefore(this.times, this.cursor);
    this.legend.replaceChildren(...this.series.map(({ name, values }, s) => {
      const value = k < 0 ? '–' : compact(values[k]);
      const colour = style.getPropertyValue(COLOURS[s % COLOURS.length]!);
      return el('span', { style: `--dot:${colour}` }, this.series.length > 1 ? `${name} ` : '', el('i', {}, value));
    }));
  }
}

/** Index of the last time that is not after `time`, or −1. */
export function lastAtOrBefore(times: ArrayLike<number>, time: number): number {
  let [low, high] = [-1, times.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (times[middle]! <= time + 1e-9) low = middle;
    else high = middle - 1;
  }
  return low;
}
