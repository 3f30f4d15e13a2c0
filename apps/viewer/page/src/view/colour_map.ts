// Colours for numbers: dark blue over green to yellow, the same stops as the stills of `stiction render`.

import { DataTexture, LinearFilter, RGBAFormat, SRGBColorSpace } from 'three';

const STOPS = [0x3f489c, 0x3a76b8, 0x2fa0a2, 0x5fc078, 0xb7d65a, 0xfbe45c];

function channel(colour: number, c: number): number {
  return (colour >> (8 * (2 - c))) & 0xff;
}

/** sRGB bytes at t in [0, 1]. */
export function colourAt(t: number): [number, number, number] {
  const x = Math.min(1, Math.max(0, t)) * (STOPS.length - 1);
  const i = Math.min(Math.floor(x), STOPS.length - 2);
  const mix = (c: number) => channel(STOPS[i]!, c) + (x - i) * (channel(STOPS[i + 1]!, c) - channel(STOPS[i]!, c));
  return [mix(0), mix(1), mix(2)];
}

/** The map as a texture of one row. */
export function colourTexture(): DataTexture {
  const data = new Uint8Array(4 * 256);
  for (let i = 0; i < 256; i++) data.set([...colourAt(i / 255), 255], 4 * i);
  const texture = new DataTexture(data, 256, 1, RGBAFormat);
  texture.colorSpace = SRGBColorSpace;
  texture.minFilter = texture.magFilter = LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

/** The map as a CSS gradient, low end first. */
export function colourGradient(direction: string): string {
  return `linear-gradient(${direction}, ${STOPS.map((c) => `#${c.toString(16).padStart(6, '0')}`).join(', ')})`;
}
