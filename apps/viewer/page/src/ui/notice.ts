// A message instead of the view, or above it.

import { el } from './dom';

/** Fills the page with a message: nothing can be shown. */
export function fullNotice(title: string, text: string, busy = false): HTMLElement {
  return el('main', { className: 'notice', role: busy ? 'status' : 'alert' },
    busy ? el('div', { className: 'spinner' }) : null, el('h1', {}, title), el('p', {}, text));
}

/** A line above the view; an empty text hides it. */
export class Banner {
  readonly element = el('div', { className: 'banner', role: 'alert', hidden: true });

  set(text: string): void {
    this.element.textContent = text;
    this.element.hidden = text === '';
  }
}
