// A run behind the viewer's server.

import { Container } from './container';
import { lengths, speedsBetween } from './speed';
import {
  topologyFrom, type BodyTopology, type Field, type FrameData, type Growth, type RunInfo, type RunSource, type StepRecord,
} from './types';

const RETRY_MS = 200;
const RECONNECT_MS = 2000;

/** Opens the run; while its scene is still being built, `waiting` is called and the server asked again. */
export async function openServer(waiting: () => void): Promise<RunSource> {
  for (;;) {
    const answer = await ask('api/run');
    if (answer.ok) return new ServerSource((await answer.json()) as RunInfo);
    const { error, waiting: soon } = await refusal(answer);
    if (!soon) throw new Error(error);
    waiting();
    await new Promise((done) => setTimeout(done, RETRY_MS));
  }
}

async function ask(address: string): Promise<Response> {
  try {
    return await fetch(address);
  } catch {
    throw new Error('the viewer does not answer; start it again with: stiction view RUN');
  }
}

async function refusal(answer: Response): Promise<{ error: string; waiting: boolean }> {
  const fallback = { error: `the viewer answered ${answer.status}`, waiting: false };
  return answer.json().then((value) => ({ ...fallback, ...value }), () => fallback);
}

async function bytes(address: string): Promise<Uint8Array> {
  const answer = await ask(address);
  if (!answer.ok) throw new Error((await refusal(answer)).error);
  return new Uint8Array(await answer.arrayBuffer());
}

class ServerSource implements RunSource {
  private readonly records: StepRecord[] = [];
  private nextRecord = 0;
  private reading: Promise<unknown> = Promise.resolve();

  constructor(readonly info: RunInfo) {}

  async topology(): Promise<BodyTopology[]> {
    const box = new Container(await bytes('api/layout.bin'), 'STVLAYOT');
    return topologyFrom(this.info.layout.bodies.length, (n) => box.f32(n), (n) => box.u32(n));
  }

  async frame(index: number, field: Field): Promise<FrameData> {
    const box = await this.container(index, field);
    const positions = box.f32('positions');
    return {
      index,
      positions,
      poses: box.f32('poses'),
      contacts: box.f32('contacts'),
      intersections: box.f32('intersections'),
      scalar: await this.scalar(index, field, box, positions),
    };
  }

  private async container(index: number, field: Field): Promise<Container> {
    const query = new URLSearchParams();
    if (field === 'velocity' && this.info.velocities) query.set('velocities', '1');
    if (field.startsWith('channel:')) query.set('channel', field.slice(8));
    return new Container(await bytes(`api/frame/${this.info.frames[index]}?${query}`), 'STVFRAME');
  }

  private async scalar(index: number, field: Field, box: Container, positions: Float32Array) {
    if (field === 'body') return null;
    if (field !== 'velocity') return box.f32(field.replace(':', '/'));
    if (box.has('velocities')) return lengths(box.f32('velocities'));
    const { frames, layout } = this.info;
    const other = index > 0 ? index - 1 : Math.min(1, frames.length - 1);
    if (other === index) return new Float32Array(positions.length / 3);
    const before = (await this.container(other, 'body')).f32('positions');
    return speedsBetween(before, positions, Math.abs(frames[index]! - frames[other]!) / layout.fps);
  }

  /** Reads what has been added since the last call; calls wait for each other, so no record comes twice. */
  stats(): Promise<StepRecord[]> {
    const result = this.reading.then(() => this.readRecords());
    this.reading = result.catch(() => undefined);
    return result;
  }

  private async readRecords(): Promise<StepRecord[]> {
    for (;;) {
      const answer = await ask(`api/stats?from=${this.nextRecord}`);
      if (!answer.ok) throw new Error((await refusal(answer)).error);
      const { next, more, records } = (await answer.json()) as { next: number; more: boolean; records: StepRecord[] };
      if (next < this.nextRecord) this.records.length = 0;
      this.nextRecord = next;
      for (const record of records) this.records.push(record);
      if (!more) return this.records;
    }
  }

  watch(grown: (growth: Growth) => void): void {
    const address = new URL('api/live', location.href);
    address.protocol = 'ws:';
    const socket = new WebSocket(address);
    socket.onmessage = (message) => {
      const growth = JSON.parse(String(message.data)) as Growth;
      const { frames } = this.info;
      // Frames come in order; what was cut off by a resume goes.
      while (frames.length > 0 && growth.last !== null && frames[frames.length - 1]! > growth.last) frames.pop();
      const missing = growth.frames - frames.length;
      for (let k = missing - 1; k >= 0 && growth.last !== null; k--) frames.push(growth.last - k);
      grown(growth);
    };
    socket.onclose = () => setTimeout(() => this.watch(grown), RECONNECT_MS);
  }
}
