// Frames kept in memory, the least recently used going first, and frames fetched before they are needed.

import type { Field, FrameData, RunSource } from './types';

const MAX_BYTES = 384 * 2 ** 20;

export class FrameCache {
  private readonly frames = new Map<string, FrameData>();
  private readonly coming = new Map<string, Promise<FrameData>>();
  private bytes = 0;

  constructor(private readonly source: RunSource) {}

  /** The frame, from memory or from the source; a frame that is on its way is not asked for twice. */
  get(index: number, field: Field): Promise<FrameData> {
    const key = `${index} ${field}`;
    const known = this.frames.get(key);
    if (known) {
      this.frames.delete(key);
      this.frames.set(key, known);
      return Promise.resolve(known);
    }
    const coming = this.coming.get(key) ?? this.fetch(key, index, field);
    return coming;
  }

  /** Asks for frames that will probably be shown. */
  prefetch(indices: number[], field: Field): void {
    for (const index of indices) {
      if (this.coming.size < 4) this.get(index, field).catch(() => undefined);
    }
  }

  private fetch(key: string, index: number, field: Field): Promise<FrameData> {
    const coming = this.source.frame(index, field).then((frame) => {
      this.frames.set(key, frame);
      this.bytes += size(frame);
      this.trim(key);
      return frame;
    }).finally(() => this.coming.delete(key));
    this.coming.set(key, coming);
    return coming;
  }

  private trim(keep: string): void {
    for (const [key, frame] of this.frames) {
      if (this.bytes <= MAX_BYTES || key === keep) return;
      this.frames.delete(key);
      this.bytes -= size(frame);
    }
  }
}

function size(frame: FrameData): number {
  const { positions, poses, contacts, intersections, scalar } = frame;
  return 4 * (positions.length + poses.length + contacts.length + intersections.length + (scalar?.length ?? 0));
}
