// What every drawn body can do, and how the user wants to see it.

import type { Object3D } from 'three';

export type SurfaceMode = 'surface' | 'edges' | 'wire';

export interface BodyLook {
  visible: boolean;
  /** CSS colour. */
  colour: string;
  mode: SurfaceMode;
  flat: boolean;
  /** CSS colour of edges on a surface; follows the theme. */
  edgeColour: string;
}

export interface BodyView {
  readonly object: Object3D;
  /** Positions as last set, in the space of `object`. */
  points(): Float32Array;
  setPositions(positions: Float32Array): void;
  setScalar(values: Float32Array): void;
  apply(look: BodyLook): void;
  /** Whether flat shading suits the shape better. */
  prefersFlat(): boolean;
}
