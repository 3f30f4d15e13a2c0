// A body made of triangles: a shaded surface, its edges, or both.

import {
  BufferAttribute, BufferGeometry, DynamicDrawUsage, Group, LineBasicMaterial, LineSegments, Mesh,
} from 'three';
import type { BodyInfo, BodyTopology } from '../data/types';
import { fieldMaterial, type FieldMaterial, type FieldUniforms } from './field_material';
import { looksFaceted, uniqueEdges, vertexNormals } from './mesh_tools';
import type { BodyLook, BodyView } from './body_view';

export class SurfaceView implements BodyView {
  readonly object = new Group();
  private readonly geometry = new BufferGeometry();
  private readonly paint: FieldMaterial;
  private readonly mesh: Mesh;
  private lines: LineSegments<BufferGeometry, LineBasicMaterial> | null = null;
  private readonly positions: Float32Array;
  private readonly normals: Float32Array;
  private flat = false;
  private stale = true;

  constructor(info: BodyInfo, private readonly topology: BodyTopology, shared: FieldUniforms) {
    const n = 3 * info.vertices;
    this.positions = topology.shape.length === n ? topology.shape.slice() : new Float32Array(n);
    this.normals = new Float32Array(n);
    this.attribute('position', this.positions, 3);
    this.attribute('normal', this.normals, 3);
    this.attribute('scalar', new Float32Array(info.vertices), 1);
    this.geometry.setIndex(new BufferAttribute(topology.triangles, 1));
    const given = info.kind === 'collider';
    this.paint = fieldMaterial(shared, !given && info.motion === 'free');
    const { material } = this.paint;
    // Colliders lie in contact with what rests on them: the resting body wins the depth test.
    material.polygonOffset = true;
    material.polygonOffsetFactor = material.polygonOffsetUnits = given ? 2 : 1;
    this.mesh = new Mesh(this.geometry, material);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.object.add(this.mesh);
    if (info.motion !== 'free') this.refreshNormals();
  }

  private attribute(name: string, array: Float32Array, size: number): void {
    this.geometry.setAttribute(name, new BufferAttribute(array, size).setUsage(DynamicDrawUsage));
  }

  points(): Float32Array {
    return this.positions;
  }

  prefersFlat(): boolean {
    if (this.stale) this.refreshNormals();
    return looksFaceted(this.positions, this.topology.triangles, this.normals);
  }

  setPositions(positions: Float32Array): void {
    this.positions.set(positions);
    this.touch('position');
    this.stale = true;
    if (!this.flat && this.object.visible) this.refreshNormals();
  }

  setScalar(values: Float32Array): void {
    (this.geometry.getAttribute('scalar').array as Float32Array).set(values);
    this.touch('scalar');
  }

  apply(look: BodyLook): void {
    this.object.visible = look.visible;
    this.paint.material.color.set(look.colour);
    this.paint.flatness.value = Number(look.flat);
    this.flat = look.flat;
    if (!look.flat && look.visible && this.stale) this.refreshNormals();
    this.mesh.visible = look.mode !== 'wire';
    if (look.mode !== 'surface') this.edges().material.color.set(look.mode === 'wire' ? look.colour : look.edgeColour);
    if (this.lines) this.lines.visible = look.mode !== 'surface';
  }

  private edges() {
    if (!this.lines) {
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', this.geometry.getAttribute('position'));
      geometry.setIndex(new BufferAttribute(uniqueEdges(this.topology.triangles, this.positions.length / 3), 1));
      const material = new LineBasicMaterial({ transparent: true, opacity: 0.55 });
      this.lines = new LineSegments(geometry, material);
      this.lines.frustumCulled = false;
      this.object.add(this.lines);
    }
    return this.lines;
  }

  private refreshNormals(): void {
    vertexNormals(this.positions, this.topology.triangles, this.normals);
    this.touch('normal');
    this.stale = false;
  }

  private touch(name: string): void {
    this.geometry.getAttribute(name).needsUpdate = true;
  }
}
