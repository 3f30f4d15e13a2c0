// The list of bodies: visible or not, colour, surface or edges, smooth or flat.

import type { BodyInfo } from '../data/types';
import type { BodyLook, SurfaceMode } from '../view/body_view';
import { el, section } from './dom';

export function bodiesPanel(bodies: BodyInfo[], looks: BodyLook[], changed: (b: number) => void): HTMLElement {
  return section('Bodies', ...bodies.map((body, b) => row(body, looks[b]!, () => changed(b))));
}

function row(body: BodyInfo, look: BodyLook, changed: () => void): HTMLElement {
  const visible = el('input', {
    type: 'checkbox', checked: look.visible, 'aria-label': `Show ${body.name}`,
    onchange: () => { look.visible = visible.checked; changed(); },
  });
  const colour = el('input', {
    type: 'color', value: look.colour, title: 'Colour', 'aria-label': `Colour of ${body.name}`,
    oninput: () => { look.colour = colour.value; changed(); },
  });
  const mode = el('select', {
    'aria-label': `Drawing of ${body.name}`,
    onchange: () => { look.mode = mode.value as SurfaceMode; changed(); },
  }, el('option', { value: 'surface' }, 'surface'),
  body.segments > 0 ? null : el('option', { value: 'edges' }, 'with edges'),
  el('option', { value: 'wire' }, 'wireframe'));
  const shading = el('select', {
    'aria-label': `Shading of ${body.name}`,
    onchange: () => { look.flat = shading.value === 'flat'; changed(); },
  }, el('option', { value: 'smooth' }, 'smooth'), el('option', { value: 'flat' }, 'flat'));
  shading.value = look.flat ? 'flat' : 'smooth';
  return el('div', { className: 'body', 'data-body': body.name },
    el('label', { className: 'body-head' }, visible, el('span', { className: 'body-name' }, body.name), colour),
    el('div', { className: 'body-options' }, el('span', { className: 'hint' }, size(body)), mode, shading));
}

function size(body: BodyInfo): string {
  const parts = body.segments || body.triangles;
  return `${body.kind}, ${parts.toLocaleString('en')} ${body.segments > 0 ? 'segments' : 'triangles'}`;
}
