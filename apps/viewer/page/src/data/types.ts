// What the viewer knows of a run. Names of JSON fields are those of the run folder.

export type Axis = 'x' | 'y' | 'z';

export interface BodyInfo {
  name: string;
  kind: 'cloth' | 'rod' | 'solid' | 'collider' | 'rigid';
  motion: 'free' | 'posed' | 'fixed';
  vertices: number;
  triangles: number;
  segments: number;
  tets: number;
  thickness: number;
  colour: [number, number, number];
}

export interface LayoutInfo {
  up_axis: Axis;
  fps: number;
  bodies: BodyInfo[];
}

export interface Summary {
  scene: string;
  method: string;
  status: 'running' | 'finished' | 'failed' | 'paused';
  notes?: string[];
  failure?: string | null;
  dofs: number;
  vertices: number;
  elements: number;
  steps: number;
  wall_seconds: number | null;
  ms_per_frame: number | null;
  [field: string]: unknown;
}

export interface RunInfo {
  name: string;
  summary: Summary;
  layout: LayoutInfo;
  /** Numbers of the stored frames, ascending. */
  frames: number[];
  /** Numbers of frames that the run has written and that are gone. */
  missing?: number[];
  channels: string[];
  /** Whether frames store velocities. */
  velocities: boolean;
}

export type Numbers = Record<string, number | null>;

export interface StepRecord {
  step: number;
  time: number;
  h: number;
  iterations: number;
  residual: Numbers;
  contacts: number;
  penetration_m: number | null;
  intersections: number;
  overlaps: number;
  energy: Numbers;
  momentum: (number | null)[];
  contact_force: Record<string, (number | null)[]>;
  seconds: Numbers;
  [field: string]: unknown;
}

/** Topology and shape of one body; indices are local to it. */
export interface BodyTopology {
  triangles: Uint32Array;
  segments: Uint32Array;
  pinned: Uint32Array;
  radius: Float32Array;
  shape: Float32Array;
}

/** What colours show: the body's own colour, the speed, or a stored channel. */
export type Field = 'body' | 'velocity' | `channel:${string}`;

export interface FrameData {
  /** Place in the list of frames. */
  index: number;
  /** x y z of the vertices of free bodies, in the order of the layout. */
  positions: Float32Array;
  /** Seven numbers per posed body: translation, quaternion x y z w. */
  poses: Float32Array;
  /** Nine numbers each: point, normal, force. */
  contacts: Float32Array;
  /** Three numbers each. */
  intersections: Float32Array;
  /** One number per vertex of free bodies for the wanted field, or null. */
  scalar: Float32Array | null;
}

/** What a growing run tells. */
export interface Growth {
  frames: number;
  last: number | null;
  status: Summary['status'];
  failure: string | null;
}

/** Where a run comes from. */
export interface RunSource {
  readonly info: RunInfo;
  topology(): Promise<BodyTopology[]>;
  frame(index: number, field: Field): Promise<FrameData>;
  /** All step records known by now. */
  stats(): Promise<StepRecord[]>;
  /** Calls back when the run grows. */
  watch(grown: (growth: Growth) => void): void;
}

export function topologyFrom(
  count: number,
  f32: (name: string) => Float32Array,
  u32: (name: string) => Uint32Array,
): BodyTopology[] {
  return Array.from({ length: count }, (_, b) => ({
    triangles: u32(`body/${b}/triangles`),
    segments: u32(`body/${b}/segments`),
    pinned: u32(`body/${b}/pinned`),
    radius: f32(`body/${b}/radius`),
    shape: f32(`body/${b}/shape`),
  }));
}
