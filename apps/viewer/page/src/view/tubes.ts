// Rods as tubes: one instance per segment, bent in the vertex shader.
//
// Positions lie in a texture, so a frame uploads 16 bytes per vertex and nothing per segment. Each instance knows four
// vertices, the one before and the one after included: both tubes that meet at a vertex end in the same ring, square to
// the mean direction there, so that bends close without gaps. Hair seen from afar is kept one pixel wide; very many
// segments become ribbons that face the viewer, shaded as if they were round: two triangles each, and no instances, because
// instances of four corners leave most of a graphics card idle (and cost software renderers 20 µs each).

import {
  BufferAttribute, BufferGeometry, DataTexture, FloatType, Group, InstancedBufferAttribute, InstancedBufferGeometry, Mesh,
  NearestFilter, RedFormat, RGBAFormat, RGBAIntegerFormat, UnsignedIntType, type IUniform,
} from 'three';
import type { BodyInfo, BodyTopology } from '../data/types';
import type { BodyLook, BodyView } from './body_view';
import { depthMaterial, fieldMaterial, type FieldMaterial, type FieldUniforms, type VertexCode } from './field_material';

const ROW = 2048;
/** More segments than this are drawn as ribbons. */
const MAX_ROUND = 50_000;

interface Corners {
  corners: Float32Array<ArrayBuffer>;
  index: Uint16Array<ArrayBuffer>;
}

const declarations = (ribbon: boolean) => /* glsl */ `
  ${ribbon ? 'uniform highp usampler2D segmentTable; uniform highp sampler2D radiusTable;' : 'attribute uvec4 nodes; attribute vec2 radii;'}
  uniform highp sampler2D nodeTable;
  uniform float pixelSize;
  ivec2 texel(uint i) { return ivec2(int(i % ${ROW}u), int(i / ${ROW}u)); }
  vec4 node(uint i) { return texelFetch(nodeTable, texel(i), 0); }`;

/** Stands in for the attributes of an instance: corners −a +a +b, −a +b −b of the segment that the vertex number tells. */
const RIBBON_CORNERS = /* glsl */ `
  uint segment = uint(gl_VertexID) / 6u;
  int corner = gl_VertexID % 6;
  vec3 position = vec3(corner == 1 || corner == 2 || corner == 4 ? 1.0 : -1.0, 0.0, corner == 2 || corner > 3 ? 1.0 : 0.0);
  uvec4 nodes = texelFetch(segmentTable, texel(segment), 0);
  vec2 radii = vec2(texelFetch(radiusTable, texel(nodes.y), 0).r, texelFetch(radiusTable, texel(nodes.z), 0).r);`;

const ROUND_SIDES = /* glsl */ `
  vec3 side = normalize(abs(along.z) < 0.8 ? vec3(-along.y, along.x, 0.0) : vec3(0.0, -along.z, along.y));
  side = normalize(side - mean * dot(side, mean));
  vec3 radial = position.x * side + position.y * cross(mean, side);`;

const RIBBON_SIDES = /* glsl */ `
  mat3 turn = mat3(modelViewMatrix);
  vec3 facing = isOrthographic ? vec3(0.0, 0.0, 1.0) : normalize(-(modelViewMatrix * vec4(centre.xyz, 1.0)).xyz);
  facing = facing * turn;
  vec3 radial = position.x * normalize(cross(mean, facing) + 1e-12 * along);`;

/** `ribbon` turns the sides towards the viewer instead of around. */
const mainCode = (ribbon: boolean) => /* glsl */ `
  ${ribbon ? RIBBON_CORNERS : ''}
  vec4 a = node(nodes.y);
  vec4 b = node(nodes.z);
  bool atEnd = position.z > 0.5;
  float pole = position.z < -0.5 ? -1.0 : position.z > 1.5 ? 1.0 : 0.0;
  vec3 along = b.xyz - a.xyz;
  float size = length(along);
  along = size > 0.0 ? along / size : vec3(0.0, 0.0, 1.0);
  vec3 mean = atEnd ? node(nodes.w).xyz - a.xyz : b.xyz - node(nodes.x).xyz;
  float meanSize = length(mean);
  mean = meanSize > 0.0 && dot(mean, along) > 0.3 * meanSize ? mean / meanSize : along;
  vec4 centre = atEnd ? b : a;
  ${ribbon ? RIBBON_SIDES : ROUND_SIDES}
  float depth = (projectionMatrix * modelViewMatrix * vec4(centre.xyz, 1.0)).w;
  float radius = max(atEnd ? radii.y : radii.x, pixelSize * depth);
  fieldPoint = centre.xyz + radius * (radial + pole * mean);
  fieldNormal = radial + ${ribbon ? 'facing' : 'pole * mean'};
  fieldScalar = centre.w;`;

/** Half a pixel at distance 1, shared by all tubes; the stage keeps it up to date. */
export const pixelSize: IUniform<number> = { value: 0 };

export class TubesView implements BodyView {
  readonly object = new Group();
  private readonly table: DataTexture;
  private readonly positions: Float32Array;
  private readonly paint: FieldMaterial;

  constructor(info: BodyInfo, topology: BodyTopology, shared: FieldUniforms) {
    const rows = Math.max(1, Math.ceil(info.vertices / ROW));
    this.table = new DataTexture(new Float32Array(4 * ROW * rows), ROW, rows, RGBAFormat, FloatType);
    this.table.minFilter = this.table.magFilter = NearestFilter;
    this.positions = new Float32Array(3 * info.vertices);
    const ribbon = topology.segments.length / 2 > MAX_ROUND;
    const uniforms = { nodeTable: { value: this.table }, pixelSize, ...(ribbon ? ribbonTables(info, topology) : {}) };
    const code: VertexCode = { name: ribbon ? 'ribbon' : 'tube', declarations: declarations(ribbon), main: mainCode(ribbon), uniforms };
    this.paint = fieldMaterial(shared, info.kind !== 'collider', code);
    const mesh = new Mesh(ribbon ? ribbonGeometry(topology) : tubeGeometry(info, topology), this.paint.material);
    // In the shadow pass depth is measured from the light, where a pixel means nothing.
    mesh.customDepthMaterial = depthMaterial({ ...code, uniforms: { ...uniforms, pixelSize: { value: 0 } } });
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    this.object.add(mesh);
    if (topology.shape.length > 0) this.setPositions(topology.shape);
  }

  points(): Float32Array {
    return this.positions;
  }

  prefersFlat(): boolean {
    return false;
  }

  setPositions(positions: Float32Array): void {
    this.positions.set(positions);
    const texels = this.table.image.data as Float32Array;
    for (let i = 0, k = 0; k < positions.length; i += 4, k += 3) {
      texels[i] = positions[k]!;
      texels[i + 1] = positions[k + 1]!;
      texels[i + 2] = positions[k + 2]!;
    }
    this.table.needsUpdate = true;
  }

  setScalar(values: Float32Array): void {
    const texels = this.table.image.data as Float32Array;
    for (let i = 0; i < values.length; i++) texels[4 * i + 3] = values[i]!;
    this.table.needsUpdate = true;
  }

  apply(look: BodyLook): void {
    this.object.visible = look.visible;
    this.paint.material.color.set(look.colour);
    this.paint.material.wireframe = look.mode === 'wire';
    this.paint.flatness.value = Number(look.flat);
  }
}

function tubeGeometry(info: BodyInfo, topology: BodyTopology): InstancedBufferGeometry {
  const count = topology.segments.length / 2;
  const geometry = new InstancedBufferGeometry();
  // Round where there are few, thrifty where there are many and each is thin.
  const { corners, index } = ring(count <= 5_000 ? 16 : 8);
  geometry.setAttribute('position', new BufferAttribute(corners, 3));
  geometry.setIndex(new BufferAttribute(index, 1));
  geometry.setAttribute('nodes', new InstancedBufferAttribute(neighbours(info.vertices, topology.segments), 4));
  geometry.setAttribute('radii', new InstancedBufferAttribute(radii(topology), 2));
  geometry.instanceCount = count;
  return geometry;
}

/** Corners of one tube: cosine, sine, and the place along it (0 and 1 rings, −1 and 2 the tips of round ends). */
function ring(sides: number): Corners {
  const corners: number[] = [];
  const index: number[] = [];
  for (const end of [0, 1]) {
    for (let k = 0; k < sides; k++) {
      corners.push(Math.cos((2 * Math.PI * k) / sides), Math.sin((2 * Math.PI * k) / sides), end);
    }
  }
  const tip = 2 * sides;
  corners.push(0, 0, -1, 0, 0, 2);
  for (let k = 0; k < sides; k++) {
    const next = (k + 1) % sides;
    index.push(k, next, sides + next, k, sides + next, sides + k);
    index.push(tip, next, k, tip + 1, sides + k, sides + next);
  }
  return { corners: new Float32Array(corners), index: new Uint16Array(index) };
}

/** Six vertices per segment without attributes; the shader looks everything up. */
function ribbonGeometry(topology: BodyTopology): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setDrawRange(0, 3 * topology.segments.length);
  return geometry;
}

/** What instances would carry, as textures: the four vertices of a segment, and the radius of a vertex. */
function ribbonTables(info: BodyInfo, topology: BodyTopology): Record<string, IUniform> {
  const rows = (count: number) => Math.max(1, Math.ceil(count / ROW));
  const segmentRows = rows(topology.segments.length / 2);
  const segments = new Uint32Array(4 * ROW * segmentRows);
  segments.set(neighbours(info.vertices, topology.segments));
  const segmentTable = new DataTexture(segments, ROW, segmentRows, RGBAIntegerFormat, UnsignedIntType);
  segmentTable.internalFormat = 'RGBA32UI';
  const radius = new Float32Array(ROW * rows(info.vertices)).fill(topology.radius[0] ?? 0);
  if (topology.radius.length > 1) radius.set(topology.radius);
  const radiusTable = new DataTexture(radius, ROW, rows(info.vertices), RedFormat, FloatType);
  for (const table of [segmentTable, radiusTable]) table.needsUpdate = true;
  return { segmentTable: { value: segmentTable }, radiusTable: { value: radiusTable } };
}

/** Per segment the vertex before it, its two, and the one after; at the end of a strand or a branch its own again. */
function neighbours(vertices: number, segments: Uint32Array): Uint32Array<ArrayBuffer> {
  const NONE = 0xffffffff;
  const before = new Uint32Array(vertices).fill(NONE);
  const after = new Uint32Array(vertices).fill(NONE);
  const claim = (table: Uint32Array, at: number, value: number) => {
    table[at] = table[at] === NONE ? value : at;
  };
  for (let s = 0; s < segments.length; s += 2) {
    claim(after, segments[s]!, segments[s + 1]!);
    claim(before, segments[s + 1]!, segments[s]!);
  }
  const out = new Uint32Array(2 * segments.length);
  for (let s = 0; s < segments.length; s += 2) {
    const [a, b] = [segments[s]!, segments[s + 1]!];
    const [p, n] = [before[a]!, after[b]!];
    out.set([p === NONE ? a : p, a, b, n === NONE ? b : n], 2 * s);
  }
  return out;
}

function radii({ segments, radius }: BodyTopology): Float32Array<ArrayBuffer> {
  const at = (v: number) => (radius.length > 1 ? radius[v]! : radius[0] ?? 0);
  const out = new Float32Array(segments.length);
  for (let k = 0; k < segments.length; k++) out[k] = at(segments[k]!);
  return out;
}
