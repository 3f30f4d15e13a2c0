// The viewer of one run: puts data, view and page together.

import type { FrameCache } from './data/frame_cache';
import type { BodyTopology, Field, FrameData, Growth, RunSource, StepRecord } from './data/types';
import { Player } from './player';
import { Presenter } from './presenter';
import { Signal } from './signal';
import { Axes } from './ui/axes';
import { bodiesPanel } from './ui/bodies_panel';
import { el, iconButton, section, setPressed } from './ui/dom';
import { Shortcuts } from './ui/help';
import { Legend } from './ui/legend';
import { Banner } from './ui/notice';
import { lastAtOrBefore } from './ui/plot';
import { Plots } from './ui/plots';
import { runReport, stepReport } from './ui/report';
import { colourPanel, fieldName, fieldsOf, fieldUnit, ShowPanel } from './ui/show_panel';
import type { ThemeChoice } from './ui/theme';
import { timeline } from './ui/timeline';
import { Stage } from './view/stage';
import { World, type Overlays } from './view/world';

const PLOT_INTERVAL_MS = 400;
const NARROW = '(max-width: 820px)';

export class App {
  private readonly player: Player;
  private readonly field = new Signal<Field>('body');
  private readonly overlays = new Signal<Overlays>(
    { contacts: true, normals: true, friction: true, pins: true, intersections: true, grid: true, shadows: false });
  private readonly status: Signal<Growth['status']>;
  private readonly stage: Stage;
  private readonly world: World;
  private readonly presenter: Presenter;
  private readonly plots: Plots;
  private readonly legend: Legend;
  private readonly showPanel: ShowPanel;
  private readonly banner = new Banner();
  private readonly left = panel('left');
  private readonly right = panel('right');
  private readonly report = el('div', {});
  private readonly summary = el('div', {});
  private readonly counts = el('div', { className: 'counts', 'aria-live': 'off' });
  private records: StepRecord[] = [];
  /** Why the run failed, or nothing. */
  private failure = '';
  private nextPlots = 0;

  constructor(
    private readonly root: HTMLElement, private readonly source: RunSource, topology: BodyTopology[], cache: FrameCache,
    private readonly theme: ThemeChoice,
  ) {
    const { info } = source;
    this.player = new Player(info);
    this.status = new Signal(info.summary.status);
    const canvas = el('canvas', { className: 'view', role: 'img', 'aria-label': 'View of the run' });
    const stageBox = el('div', { className: 'stage' }, canvas);
    this.plots = new Plots((time) => this.player.seekTime(time));
    this.showPanel = new ShowPanel(this.overlays);
    this.legend = new Legend((low, high) => this.world.setRange(low, high));
    // The canvas needs its size before the stage can use it, so the panels take their places first.
    root.replaceChildren(this.header(), this.left, stageBox, this.right, timeline(this.player));
    this.stage = new Stage(canvas, info.layout.up_axis);
    this.overlays.value = { ...this.overlays.value, shadows: !this.stage.software };
    this.stage.setShadows(!this.stage.software);
    this.world = new World(this.stage, info, topology);
    const axes = new Axes(info.layout.up_axis);
    this.stage.onDraw(() => axes.update(this.stage.camera));
    stageBox.append(this.counts, this.legend.element, axes.element, this.banner.element);
    this.presenter = new Presenter(cache, this.player,
      (frame, field, since) => this.show(frame, field, since), (reason) => this.banner.set(reason));
  }

  /** Shows the first frame, then everything that may come later. */
  async start(): Promise<void> {
    await this.presenter.show(0, 'body');
    this.fillPanels();
    this.root.append(this.shortcuts().element);
    this.repaint();
    this.theme.theme.changed(() => this.repaint());
    this.overlays.changed((on) => this.world.applyOverlays(on));
    this.player.index.changed((index) => void this.presenter.show(index, this.field.value));
    this.field.changed((field) => {
      this.legend.setField(field === 'body' ? '' : fieldName(field), fieldUnit(field));
      void this.presenter.show(this.player.index.value, field);
    });
    this.root.dataset.ready = 'true';
    void this.readStats();
    if (this.status.value === 'running') this.player.following.value = true;
    this.source.watch((growth) => this.grow(growth));
    this.tick(performance.now());
  }

  private show(frame: FrameData, field: Field, since: number): void {
    if (frame.scalar) this.legend.widen(frame.scalar);
    this.world.show(frame, field);
    this.showPanel.setLargestForce(this.world.contacts.largestForce);
    this.banner.set(this.failure);
    this.showCounts(frame);
    this.showStep(frame.index);
    this.stage.onceDrawn(() => {
      this.root.dataset.frame = String(frame.index);
      this.root.dataset.frameMs = (performance.now() - since).toFixed(1);
    });
  }

  private showCounts(frame: FrameData): void {
    const crossings = frame.intersections.length / 3;
    this.counts.replaceChildren(
      `${frame.contacts.length / 9} contacts`,
      ...(crossings > 0 ? [el('strong', {}, `${crossings} intersection${crossings === 1 ? '' : 's'}`)] : []));
  }

  private showStep(index: number): void {
    const time = this.player.timeOf(index);
    const step = lastAtOrBefore(this.records.map((record) => record.time), time);
    this.report.replaceChildren(stepReport(this.records[step] ?? null));
    this.plots.setCursor(time);
  }

  private grow(growth: Growth): void {
    this.status.value = growth.status;
    this.source.info.summary.status = growth.status;
    this.failure = growth.failure ? `The run failed: ${growth.failure}` : '';
    this.banner.set(this.failure);
    this.player.refresh();
    this.root.dataset.frames = String(this.player.count.value);
    const now = performance.now();
    if (now < this.nextPlots && growth.status === 'running') return;
    this.nextPlots = now + PLOT_INTERVAL_MS;
    void this.readStats();
  }

  private async readStats(): Promise<void> {
    try {
      this.records = await this.source.stats();
    } catch (error) {
      this.banner.set(error instanceof Error ? error.message : String(error));
      return;
    }
    this.plots.set(this.records);
    this.summary.replaceChildren(runReport(this.source.info));
    this.showStep(this.player.index.value);
  }

  private tick(before: number): void {
    requestAnimationFrame((now) => {
      this.player.advance((now - before) / 1e3);
      this.tick(now);
    });
  }

  private repaint(): void {
    const style = getComputedStyle(document.documentElement);
    this.world.setTheme(style.getPropertyValue('--grid').trim(), style.getPropertyValue('--mesh-edge').trim());
    this.plots.set(this.records);
    this.plots.setCursor(this.player.timeOf(this.player.index.value));
  }

  private header(): HTMLElement {
    const { summary, name } = this.source.info;
    const pill = el('span', { className: 'pill' });
    this.status.watch((status) => {
      pill.textContent = status === 'running' ? 'live' : status;
      pill.dataset.status = status;
      this.root.dataset.status = status;
    });
    document.title = `${name} · Stiction`;
    const vertices = this.source.info.layout.bodies.reduce((sum, body) => sum + body.vertices, 0);
    const left = iconButton('layers', 'Bodies and colours (B)', () => this.togglePanel('left'));
    const right = iconButton('chart', 'Plots and report (M)', () => this.togglePanel('right'));
    setPressed(left, !matchMedia(NARROW).matches);
    setPressed(right, !matchMedia(NARROW).matches);
    left.dataset.toggles = 'left';
    right.dataset.toggles = 'right';
    return el('header', { className: 'top' }, left,
      el('h1', {}, name), pill,
      el('span', { className: 'details' }, `method ${summary.method} · ${vertices.toLocaleString('en')} vertices`),
      el('span', { className: 'space' }),
      iconButton('fit', 'Fit to the view (F)', () => this.world.fit(false)),
      iconButton('sun', 'Light or dark (T)', () => this.theme.toggle()),
      iconButton('help', 'Keys (?)', () => this.root.querySelector<HTMLDialogElement>('.help')?.showModal()), right);
  }

  private fillPanels(): void {
    this.left.append(bodiesPanel(this.source.info.layout.bodies, this.world.looks, (b) => this.world.applyLook(b)),
      colourPanel(this.source.info, this.field), this.showPanel.element);
    this.right.append(section('Plots', this.plots.element), section('Step of this frame', this.report),
      section('Run', this.summary));
  }

  /** On narrow screens a panel covers part of the view, so only one is open at a time. */
  private togglePanel(side: 'left' | 'right'): void {
    for (const other of ['left', 'right'] as const) {
      const panel = this[other];
      if (other === side) panel.hidden = !panel.hidden;
      else if (matchMedia(NARROW).matches) panel.hidden = true;
      setPressed(this.root.querySelector<HTMLElement>(`[data-toggles=${other}]`)!, !panel.hidden);
    }
  }

  private shortcuts(): Shortcuts {
    const fields = fieldsOf(this.source.info);
    return new Shortcuts(this.player, {
      fit: () => this.world.fit(false),
      home: () => this.world.fit(true),
      look: (axis) => this.stage.look(axis),
      theme: () => this.theme.toggle(),
      panel: (side) => this.togglePanel(side),
      overlay: (name) => { this.overlays.value = { ...this.overlays.value, [name]: !this.overlays.value[name] }; },
      field: () => { this.field.value = fields[(fields.indexOf(this.field.value) + 1) % fields.length]!; },
    });
  }
}

/** On narrow screens panels start closed. */
function panel(side: 'left' | 'right'): HTMLElement {
  return el('aside', { className: `panel ${side}`, hidden: matchMedia(NARROW).matches });
}
