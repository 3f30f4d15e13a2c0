// The scale of colours beside the view. The range follows the largest values met, until the user types one.

import { colourGradient } from '../view/colour_map';
import { compact, el } from './dom';

export class Legend {
  readonly element: HTMLElement;
  private readonly title = el('b', {});
  private readonly low: HTMLInputElement;
  private readonly high: HTMLInputElement;
  private readonly auto: HTMLButtonElement;
  private range: [number, number] = [0, 0];
  private fixed = false;

  constructor(private readonly changed: (low: number, high: number) => void) {
    const bound = (label: string) => el('input', {
      type: 'text', inputMode: 'decimal', 'aria-label': label, onchange: () => this.typed(),
    });
    this.low = bound('Lowest colour');
    this.high = bound('Highest colour');
    this.auto = el('button', { type: 'button', hidden: true, onclick: () => this.reset() }, 'auto');
    this.element = el('div', { className: 'legend', hidden: true }, this.title,
      el('div', { className: 'legend-bar', style: `background:${colourGradient('to right')}` }),
      el('div', { className: 'legend-ends' }, this.low, this.auto, this.high));
  }

  /** Another field is shown; an empty name hides the legend. */
  setField(name: string, unit: string): void {
    this.element.hidden = name === '';
    this.title.textContent = unit ? `${name} [${unit}]` : name;
    this.reset();
  }

  /** Widens the range to the values of a frame; zero always belongs to it. */
  widen(values: Float32Array): void {
    let [low, high] = this.range;
    for (const value of values) {
      if (value < low && value > -Infinity) low = value;
      if (value > high && value < Infinity) high = value;
    }
    this.range = [low, high];
    if (!this.fixed) this.tell();
  }

  private reset(): void {
    this.fixed = false;
    this.range = [0, 0];
    this.auto.hidden = true;
  }

  private typed(): void {
    const [low, high] = [Number(this.low.value), Number(this.high.value)];
    if (Number.isFinite(low) && Number.isFinite(high) && low < high) {
      this.fixed = true;
      this.auto.hidden = false;
      this.changed(low, high);
    } else {
      this.tell();
    }
  }

  private tell(): void {
    const [low, high] = this.range;
    this.low.value = compact(low);
    this.high.value = compact(high);
    this.changed(low, high > low ? high : low + 1);
  }
}
