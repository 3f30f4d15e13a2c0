// Keys, and the overlay that lists them.

import type { Player } from '../player';
import { SPEEDS } from '../player';
import { el, iconButton } from './dom';

export interface Actions {
  fit: () => void;
  home: () => void;
  look: (axis: 0 | 1 | 2) => void;
  theme: () => void;
  panel: (side: 'left' | 'right') => void;
  overlay: (name: 'contacts' | 'grid' | 'pins') => void;
  field: () => void;
}

type Binding = [keys: string[], shown: string, what: string, act: () => void];

export class Shortcuts {
  readonly element: HTMLDialogElement;
  private readonly bindings: Binding[];

  constructor(player: Player, actions: Actions) {
    const faster = (by: number) => {
      const at = SPEEDS.indexOf(player.speed.value) + by;
      player.speed.value = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at))]!;
    };
    this.bindings = [
      [[' ', 'k'], 'space', 'play or pause', () => player.toggle()],
      [['ArrowLeft', ','], '←', 'one frame back', () => player.step(-1)],
      [['ArrowRight', '.'], '→', 'one frame on', () => player.step(1)],
      [['ArrowUp'], '↑', 'ten frames on', () => player.step(10)],
      [['ArrowDown'], '↓', 'ten frames back', () => player.step(-10)],
      [['Home'], 'home', 'first frame', () => player.seek(0)],
      [['End'], 'end', 'last frame', () => player.seek(player.count.value - 1)],
      [['n'], 'N', 'newest frame, and follow', () => { player.following.value = true; player.refresh(); }],
      [['['], '[', 'slower', () => faster(-1)],
      [[']'], ']', 'faster', () => faster(1)],
      [['l'], 'L', 'loop', () => { player.loop.value = !player.loop.value; }],
      [['f'], 'F', 'fit to the view', actions.fit],
      [['r'], 'R', 'camera back to its start', actions.home],
      [['1'], '1', 'from the front', () => actions.look(0)],
      [['2'], '2', 'from the side', () => actions.look(1)],
      [['3'], '3', 'from above', () => actions.look(2)],
      [['v'], 'V', 'next colouring', actions.field],
      [['c'], 'C', 'contacts', () => actions.overlay('contacts')],
      [['p'], 'P', 'pins', () => actions.overlay('pins')],
      [['g'], 'G', 'ground grid', () => actions.overlay('grid')],
      [['b'], 'B', 'panel of bodies', () => actions.panel('left')],
      [['m'], 'M', 'panel of plots', () => actions.panel('right')],
      [['t'], 'T', 'light or dark', actions.theme],
      [['?', 'h'], '?', 'this list', () => this.toggle()],
    ];
    this.element = el('dialog', { className: 'help' },
      el('header', {}, el('h2', {}, 'Keys and gestures'), iconButton('close', 'Close', () => this.element.close())),
      el('dl', {}, ...this.bindings.map(([, shown, what]) => el('div', {}, el('dt', {}, el('kbd', {}, shown)), el('dd', {}, what)))),
      el('p', { className: 'hint' }, 'Drag to orbit, drag with the right button or with shift to pan, wheel to zoom. On a touch screen: one finger orbits, two fingers pan and zoom.'));
    addEventListener('keydown', (event) => this.press(event));
  }

  toggle(): void {
    if (this.element.open) this.element.close();
    else this.element.showModal();
  }

  private press(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    const typing = target.matches('input[type=text], input[type=color], select');
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    // Space presses a focused button by itself.
    if (event.key === ' ' && target.matches('button, summary, input[type=checkbox]')) return;
    const binding = this.bindings.find(([keys]) => keys.includes(event.key.length === 1 ? event.key.toLowerCase() : event.key));
    if (!binding) return;
    event.preventDefault();
    binding[3]();
  }
}
