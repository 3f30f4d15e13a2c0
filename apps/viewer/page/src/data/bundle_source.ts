// A run inside the page itself: the one-file result of `stiction export RUN --to html`.

import { Container } from './container';
import { speedsBetween } from './speed';
import {
  topologyFrom, type BodyTopology, type Field, type FrameData, type RunInfo, type RunSource, type StepRecord,
} from './types';

const ELEMENT_ID = 'stiction-bundle';

/** The run in this page, or null when the page holds none. */
export async function openBundle(): Promise<RunSource | null> {
  const element = document.getElementById(ELEMENT_ID);
  if (!element) return null;
  const packed = decodeBase64(element.textContent ?? '');
  element.remove();
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new BundleSource(new Container(new Uint8Array(await new Response(unpacked).arrayBuffer()), 'STBUNDLE'));
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text.trim());
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

interface Head {
  frames: number[];
  channels: string[];
  summary: RunInfo['summary'];
  layout: RunInfo['layout'];
}

class BundleSource implements RunSource {
  readonly info: RunInfo;

  constructor(private readonly box: Container) {
    const head = box.json('head') as Head;
    this.info = { ...head, name: head.summary.scene, velocities: false };
  }

  async topology(): Promise<BodyTopology[]> {
    return topologyFrom(this.info.layout.bodies.length, (n) => this.box.f32(n), (n) => this.box.u32(n));
  }

  async frame(index: number, field: Field): Promise<FrameData> {
    const positions = this.positions(index);
    return {
      index,
      positions,
      poses: this.box.f32(`frame/${index}/poses`),
      contacts: this.box.f32(`frame/${index}/contacts`),
      intersections: this.box.f32(`frame/${index}/intersections`),
      scalar: this.scalar(index, field, positions),
    };
  }

  async stats(): Promise<StepRecord[]> {
    return this.box.json('stats') as StepRecord[];
  }

  watch(): void {}

  private freeBodies() {
    return this.info.layout.bodies.filter((body) => body.motion === 'free');
  }

  /** Undoes the packing: per body a box, then x, y, z as planes of 16-bit differences, low bytes before high bytes. */
  private positions(index: number): Float32Array {
    const bytes = this.box.raw(`frame/${index}/positions`);
    const bodies = this.freeBodies();
    const out = new Float32Array(3 * bodies.reduce((sum, body) => sum + body.vertices, 0));
    let at = 0;
    let first = 0;
    for (const { vertices: n } of bodies) {
      const bounds = new Float32Array(bytes.slice(at, at + 24).buffer);
      at += 24;
      for (let c = 0; c < 3; c++, at += 2 * n) {
        const [low, scale] = [bounds[c]!, bounds[3 + c]! / 65535];
        for (let i = 0, q = 0; i < n; i++) {
          q = (q + bytes[at + i]! + (bytes[at + n + i]! << 8)) & 0xffff;
          out[3 * (first + i) + c] = low + q * scale;
        }
      }
      first += n;
    }
    return out;
  }

  private scalar(index: number, field: Field, positions: Float32Array): Float32Array | null {
    if (field === 'body') return null;
    if (field === 'velocity') {
      const { frames, layout } = this.info;
      const other = index > 0 ? index - 1 : Math.min(1, frames.length - 1);
      const seconds = Math.abs(frames[index]! - frames[other]!) / layout.fps;
      return seconds > 0
        ? speedsBetween(this.positions(other), positions, seconds)
        : new Float32Array(positions.length / 3);
    }
    return this.channel(this.box.raw(`frame/${index}/channel/${field.slice(8)}`), positions.length / 3);
  }

  private channel(bytes: Uint8Array, count: number): Float32Array {
    const out = new Float32Array(count);
    let at = 0;
    let first = 0;
    for (const { vertices: n } of bytes.length > 0 ? this.freeBodies() : []) {
      const [low, size] = new Float32Array(bytes.slice(at, at + 8).buffer) as unknown as [number, number];
      for (let i = 0; i < n; i++) out[first + i] = low + (bytes[at + 8 + i]! / 255) * size;
      at += 8 + n;
      first += n;
    }
    return out;
  }
}
