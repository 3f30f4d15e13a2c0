// The container of named blocks that run folders, the server and one-file results share (docs/run_folder.md).
// Blocks are uncompressed here; checksums were checked by whoever read the files.

const HEADER_BYTES = 32;

export class Container {
  private readonly blocks = new Map<string, [offset: number, length: number]>();

  constructor(private readonly bytes: Uint8Array, magic: string) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const text = new TextDecoder();
    if (bytes.length < HEADER_BYTES || text.decode(bytes.subarray(0, 8)) !== magic) {
      throw new Error('the data of the run is damaged');
    }
    const count = view.getUint32(12, true);
    let at = HEADER_BYTES;
    let offset = HEADER_BYTES + Number(view.getBigUint64(16, true));
    for (let k = 0; k < count; k++) {
      const length = view.getUint16(at, true);
      const name = text.decode(bytes.subarray(at + 2, at + 2 + length));
      at += 2 + length + 2 + 8;
      const stored = Number(view.getBigUint64(at, true));
      at += 16;
      this.blocks.set(name, [offset, stored]);
      offset += stored;
    }
    if (offset > bytes.length) throw new Error('the data of the run ends too early');
  }

  has(name: string): boolean {
    return this.blocks.has(name);
  }

  /** The bytes of a block, without a copy; empty when there is none. */
  raw(name: string): Uint8Array {
    const [offset, length] = this.blocks.get(name) ?? [0, 0];
    return this.bytes.subarray(offset, offset + length);
  }

  /** Blocks are not aligned, so numbers are copied. */
  f32(name: string): Float32Array {
    return new Float32Array(this.raw(name).slice().buffer);
  }

  u32(name: string): Uint32Array {
    return new Uint32Array(this.raw(name).slice().buffer);
  }

  json(name: string): unknown {
    return JSON.parse(new TextDecoder().decode(this.raw(name)));
  }
}
