// From the wanted frame to the shown one. While a frame is on its way newer wishes replace older ones, so scrubbing fast
// never queues up frames that nobody waits for.

import type { FrameCache } from './data/frame_cache';
import type { Field, FrameData } from './data/types';
import type { Player } from './player';

export class Presenter {
  private busy = false;
  private wish: { index: number; field: Field; since: number } | null = null;

  constructor(
    private readonly cache: FrameCache,
    private readonly player: Player,
    private readonly shown: (frame: FrameData, field: Field, since: number) => void,
    private readonly failed: (reason: string) => void,
  ) {}

  async show(index: number, field: Field): Promise<void> {
    this.wish = { index, field, since: performance.now() };
    if (this.busy) return;
    this.busy = true;
    while (this.wish) {
      const { index: wanted, field: colour, since } = this.wish;
      this.wish = null;
      try {
        const frame = await this.cache.get(wanted, colour);
        this.shown(frame, colour, since);
        if (this.player.playing.value) this.cache.prefetch(this.player.upcoming(), colour);
      } catch (error) {
        this.failed(error instanceof Error ? error.message : String(error));
      }
    }
    this.busy = false;
  }
}
