// The report of the step that led to the current frame, and of the whole run.

import type { RunInfo, StepRecord } from '../data/types';
import { compact, el } from './dom';
import { sum } from './plots';

/** Fields with rows of their own; whatever else a method reports is listed after them. */
const KNOWN = new Set(['step', 'time', 'h', 'iterations', 'residual', 'contacts', 'penetration_m', 'intersections', 'overlaps',
  'energy', 'momentum', 'contact_force', 'seconds', 'checksum']);

type Row = [name: string, value: string];

export function stepReport(record: StepRecord | null): HTMLElement {
  if (!record) return el('p', { className: 'hint' }, 'No step has been taken before this frame.');
  const rows: Row[] = [
    ['step', String(record.step)],
    ['time', `${compact(record.time)} s`],
    ['step size', `${compact(1e3 * record.h)} ms`],
    ['iterations', String(record.iterations)],
    ...Object.entries(record.residual ?? {}).map(([name, v]): Row => [`residual, ${name}`, compact(v)]),
    ['contacts', String(record.contacts)],
    ['penetration', `${compact(record.penetration_m === null ? null : 1e3 * record.penetration_m)} mm`],
    ['intersections', String(record.intersections)],
    ['overlaps', String(record.overlaps)],
    ...Object.entries(record.energy ?? {}).map(([name, v]): Row => [`energy, ${name}`, `${compact(v)} J`]),
    ['momentum', `${vector(record.momentum)} kg m/s`],
    ...Object.entries(record.contact_force ?? {}).map(([name, v]): Row => [`force on ${name}`, `${vector(v)} N`]),
    ['wall time', `${compact(1e3 * sum(record.seconds))} ms`],
    ...Object.entries(record.seconds ?? {}).map(([name, v]): Row => [`… ${words(name)}`, `${compact(v === null ? null : 1e3 * v)} ms`]),
    ...Object.entries(record).filter(([name]) => !KNOWN.has(name)).map(([name, v]): Row => [words(name), plain(v)]),
  ];
  return table(rows);
}

export function runReport({ summary, missing = [] }: RunInfo): HTMLElement {
  const gone: Row[] = missing.length ? [['missing frames', missing.join(', ')]] : [];
  return table([
    ['scene', summary.scene],
    ['method', summary.method],
    ['status', summary.status],
    ['vertices', summary.vertices.toLocaleString('en')],
    ['elements', summary.elements.toLocaleString('en')],
    ['degrees of freedom', summary.dofs.toLocaleString('en')],
    ['wall time', `${compact(summary.wall_seconds)} s`],
    ['per frame', `${compact(summary.ms_per_frame)} ms`],
    ...gone,
    ...(summary.notes ?? []).map((sentence): Row => ['note', sentence]),
  ]);
}

function table(rows: Row[]): HTMLElement {
  return el('table', { className: 'report' }, el('tbody', {}, ...rows.map(([name, value]) =>
    el('tr', {}, el('th', { scope: 'row' }, name), el('td', {}, value)))));
}

function vector(values: (number | null)[]): string {
  return (values ?? []).map((v) => compact(v === null ? null : Number(v.toPrecision(3)))).join(', ');
}

function words(name: string): string {
  return name.replaceAll('_', ' ');
}

function plain(value: unknown): string {
  if (typeof value === 'number') return compact(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
