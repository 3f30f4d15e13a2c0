// The plots of a run: energy, residual, contacts, iterations and time per step.

import type { Numbers, StepRecord } from '../data/types';
import { el } from './dom';
import { Plot, type Series } from './plot';

export class Plots {
  readonly element = el('div', { className: 'plots' });
  private readonly count = el('p', { className: 'hint' });
  private readonly plots: { plot: Plot; series: (records: StepRecord[]) => Series[] }[];

  constructor(seek: (time: number) => void) {
    const make = (title: string, unit: string, log: boolean, series: (records: StepRecord[]) => Series[]) =>
      ({ plot: new Plot({ title, unit, log }, seek), series });
    this.plots = [
      make('energy', 'J', false, (r) => withTotal(byName(r, (record) => record.energy))),
      make('residual', '', true, (r) => byName(r, (record) => record.residual)),
      make('contacts', '', false, (r) => [one('contacts', r, (record) => record.contacts)]),
      make('iterations', '', false, (r) => [one('iterations', r, (record) => record.iterations)]),
      make('time per step', 'ms', false, (r) => [one('time', r, (record) => 1e3 * sum(record.seconds))]),
    ];
    this.element.append(this.count, ...this.plots.map(({ plot }) => plot.element));
  }

  set(records: StepRecord[]): void {
    const times = Float64Array.from(records, (record) => record.time);
    this.count.textContent = `${records.length} steps; drag in a plot to move in time`;
    for (const { plot, series } of this.plots) plot.set(times, series(records));
  }

  setCursor(time: number): void {
    for (const { plot } of this.plots) plot.setCursor(time);
  }
}

function one(name: string, records: StepRecord[], value: (record: StepRecord) => number): Series {
  return { name, values: Float64Array.from(records, value) };
}

function byName(records: StepRecord[], pick: (record: StepRecord) => Numbers): Series[] {
  const names = new Set(records.flatMap((record) => Object.keys(pick(record) ?? {})));
  return [...names].map((name) => one(name, records, (record) => pick(record)?.[name] ?? NaN));
}

function withTotal(series: Series[]): Series[] {
  if (series.length < 2 || series.some(({ name }) => name === 'total')) return series;
  const total = series[0]!.values.map((_, k) => series.reduce((all, { values }) => all + (values[k] || 0), 0));
  return [{ name: 'total', values: total }, ...series];
}

export function sum(numbers: Numbers): number {
  return Object.values(numbers ?? {}).reduce<number>((all, value) => all + (value ?? 0), 0);
}
