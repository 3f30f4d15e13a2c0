// What is drawn besides bodies, and what colours mean.

import type { Field, RunInfo } from '../data/types';
import { Signal } from '../signal';
import { FRICTION_COLOUR, NORMAL_COLOUR } from '../view/contact_marks';
import type { Overlays } from '../view/world';
import { compact, el, section } from './dom';

const NAMES: Record<string, string> = { strain: 'strain', contact_pressure: 'contact pressure' };
const UNITS: Record<string, string> = { contact_pressure: 'Pa', velocity: 'm/s' };

export function fieldName(field: Field): string {
  const key = field.replace('channel:', '');
  return NAMES[key] ?? (key === 'velocity' ? 'speed' : key.replaceAll('_', ' '));
}

export function fieldUnit(field: Field): string {
  return UNITS[field.replace('channel:', '')] ?? '';
}

export function fieldsOf(info: RunInfo): Field[] {
  return ['body', ...info.channels.map((name): Field => `channel:${name}`), 'velocity'];
}

export function colourPanel(info: RunInfo, field: Signal<Field>): HTMLElement {
  const choice = el('select', {
    className: 'wide', 'aria-label': 'Colour by', onchange: () => { field.value = choice.value as Field; },
  }, ...fieldsOf(info).map((f) => el('option', { value: f }, f === 'body' ? 'body' : fieldName(f))));
  field.watch((f) => { choice.value = f; });
  return section('Colour by', choice, info.velocities ? null : el('p', { className: 'hint' }, 'Speeds come from neighbouring frames.'));
}

const ENTRIES: [key: keyof Overlays, label: string, swatch: string | null][] = [
  ['contacts', 'contacts', '#7a3ea8'],
  ['normals', 'normal forces', NORMAL_COLOUR],
  ['friction', 'friction', FRICTION_COLOUR],
  ['pins', 'pins', '#2b3038'],
  ['intersections', 'intersections', '#e5202b'],
  ['grid', 'ground grid', null],
  ['shadows', 'shadows', null],
];

export class ShowPanel {
  readonly element: HTMLElement;
  private readonly scale = el('p', { className: 'hint' });

  constructor(overlays: Signal<Overlays>) {
    const rows = ENTRIES.map(([key, label, swatch]) => {
      const box = el('input', {
        type: 'checkbox', onchange: () => { overlays.value = { ...overlays.value, [key]: box.checked }; },
      });
      overlays.watch((on) => { box.checked = on[key]; });
      return el('label', { className: 'check' }, box, label, swatch ? el('i', { className: 'swatch', style: `background:${swatch}` }) : null);
    });
    this.element = section('Show', ...rows, this.scale);
  }

  setLargestForce(newtons: number): void {
    this.scale.textContent = newtons > 0 ? `longest arrow: ${compact(newtons)} N` : '';
  }
}
