// The timeline: which frame is wanted, and how playing moves it. Knows nothing of drawing.

import { Signal } from './signal';
import type { RunInfo } from './data/types';

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export class Player {
  /** Place of the wanted frame in the list of frames. */
  readonly index = new Signal(0);
  readonly count: Signal<number>;
  readonly playing = new Signal(false);
  readonly loop = new Signal(true);
  readonly speed = new Signal(1);
  /** Whether the newest frame of a growing run is shown. */
  readonly following = new Signal(false);
  /** Time that playing has reached [s]; between frames. */
  private clock = 0;

  constructor(private readonly info: RunInfo) {
    this.count = new Signal(info.frames.length);
  }

  /** Time of a frame [s]. */
  timeOf(index: number): number {
    return (this.info.frames[index] ?? 0) / this.info.layout.fps;
  }

  /** Shows a frame because the user asked for it. */
  seek(index: number): void {
    this.following.value = false;
    this.go(index);
  }

  seekTime(time: number): void {
    this.seek(this.indexAt(time + 0.5 / this.info.layout.fps));
  }

  step(by: number): void {
    this.playing.value = false;
    this.seek(this.index.value + by);
  }

  toggle(): void {
    if (!this.playing.value && this.index.value >= this.count.value - 1) this.go(0);
    this.following.value = false;
    this.playing.value = !this.playing.value;
  }

  /** The list of frames has grown or shrunk. */
  refresh(): void {
    this.count.value = this.info.frames.length;
    if (this.following.value || this.index.value >= this.count.value) this.go(this.count.value - 1);
  }

  /** Moves on by wall time [s]. */
  advance(seconds: number): void {
    if (!this.playing.value) return;
    // After a pause of the page (another tab, a slow frame) playing goes on from where it was.
    this.clock += Math.min(seconds, 0.25) * this.speed.value;
    const last = this.timeOf(this.count.value - 1);
    if (this.clock > last + 1 / this.info.layout.fps) {
      if (!this.loop.value) {
        this.playing.value = false;
        this.go(this.count.value - 1);
        return;
      }
      this.clock = 0;
    }
    this.index.value = this.indexAt(this.clock);
  }

  /** The frames that playing will come to next. */
  upcoming(): number[] {
    const stride = Math.max(1, Math.round(this.speed.value));
    return [1, 2, 3].map((k) => (this.index.value + k * stride) % Math.max(1, this.count.value));
  }

  private go(index: number): void {
    const held = Math.max(0, Math.min(this.count.value - 1, index));
    this.clock = this.timeOf(held);
    this.index.value = held;
  }

  /** The last frame at or before a time. */
  private indexAt(time: number): number {
    const number = time * this.info.layout.fps + 1e-6;
    let [low, high] = [0, this.count.value - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.info.frames[middle]! <= number) low = middle;
      else high = middle - 1;
    }
    return Math.max(0, low);
  }
}
