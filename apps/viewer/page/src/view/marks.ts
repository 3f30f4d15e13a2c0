// Marks on top of bodies: dots of constant size on the screen, and arrows of a length in metres.
// Contacts lie between surfaces, so marks are drawn twice: faint where something hides them, full where nothing does.

import {
  BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, DynamicDrawUsage, Group, InstancedBufferAttribute,
  InstancedBufferGeometry, Mesh, Points, ShaderMaterial, type Object3D,
} from 'three';

type Drawn = Object3D & { geometry: BufferGeometry };

const GHOST_OPACITY = 0.22;

function twice(make: (material: ShaderMaterial) => Drawn, material: ShaderMaterial, order: number): Group {
  const ghost = material.clone();
  ghost.depthTest = false;
  ghost.uniforms.opacity!.value = GHOST_OPACITY;
  const group = new Group();
  for (const [part, k] of [[make(ghost), 0], [make(material), 1]] as const) {
    part.frustumCulled = false;
    part.renderOrder = order + k;
    group.add(part);
  }
  return group;
}

/** Room for twice as many, so that growing numbers seldom need new buffers. */
function roomFor(count: number): number {
  return Math.max(64, 2 * count);
}

/** Buffers of the graphics card have a fixed size: a geometry that is too small is given back and replaced. */
function replaceGeometry(group: Group, geometry: BufferGeometry): void {
  const [ghost, full] = group.children as [Drawn, Drawn];
  full.geometry.dispose();
  ghost.geometry = full.geometry = geometry;
}

/** What has nothing to draw shall not even compile its program. */
function showParts(group: Group, count: number): void {
  for (const part of group.children) part.visible = count > 0;
}

function write(geometry: BufferGeometry, name: string, values: Float32Array): void {
  const attribute = geometry.getAttribute(name) as BufferAttribute;
  (attribute.array as Float32Array).set(values);
  attribute.needsUpdate = true;
}

export class Dots {
  readonly object: Group;
  private room = 0;

  /** `size` in CSS pixels; `square` draws diamonds instead of discs. */
  constructor(colour: string, size: number, square: boolean, order: number) {
    const material = new ShaderMaterial({
      transparent: true,
      depthWrite: false,
      uniforms: { colour: { value: new Color(colour) }, size: { value: size * devicePixelRatio }, opacity: { value: 1 } },
      vertexShader: /* glsl */ `
        uniform float size;
        void main() {
          gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
          gl_Position.z -= 1e-4 * gl_Position.w;
          gl_PointSize = size;
        }`,
      fragmentShader: /* glsl */ `
        uniform vec3 colour;
        uniform float opacity;
        uniform float size;
        void main() {
          vec2 p = 2.0 * gl_PointCoord - 1.0;
          float r = ${square ? 'abs(p.x) + abs(p.y)' : 'length(p)'};
          float edge = 2.5 / size;
          float inside = 1.0 - smoothstep(1.0 - edge, 1.0, r);
          vec3 shown = mix(vec3(1.0), colour, 1.0 - smoothstep(0.62, 0.62 + edge, r));
          gl_FragColor = vec4(shown, inside * opacity);
          if (gl_FragColor.a < 0.01) discard;
          #include <colorspace_fragment>
        }`,
    });
    const none = new BufferGeometry();
    this.object = twice((m) => new Points(none, m), material, order);
    this.set(new Float32Array(0));
  }

  set(points: Float32Array): void {
    const count = points.length / 3;
    if (this.room === 0 || count > this.room) {
      this.room = roomFor(count);
      const geometry = new BufferGeometry();
      geometry.setAttribute('position', new BufferAttribute(new Float32Array(3 * this.room), 3).setUsage(DynamicDrawUsage));
      replaceGeometry(this.object, geometry);
    }
    const { geometry } = this.object.children[0] as Drawn;
    write(geometry, 'position', points);
    geometry.setDrawRange(0, count);
    showParts(this.object, count);
  }
}

export class Arrows {
  readonly object: Group;
  private readonly width = { value: 0.01 };
  private room = 0;

  constructor(colour: string, order: number) {
    const material = new ShaderMaterial({
      transparent: true,
      depthWrite: false,
      uniforms: { colour: { value: new Color(colour) }, width: this.width, opacity: { value: 1 } },
      vertexShader: /* glsl */ `
        attribute vec3 origin;
        attribute vec3 vector;
        uniform float width;
        varying float light;
        void main() {
          float size = length(vector);
          vec3 w = size > 0.0 ? vector / size : vec3(0.0);
          vec3 u = normalize(abs(w.z) < 0.8 ? vec3(-w.y, w.x, 0.0) : vec3(0.0, -w.z, w.y));
          vec3 v = cross(w, u);
          float thick = min(width, 0.25 * size);
          // Below 0 lies the shaft, which stretches; above 0 the head, which keeps its shape.
          float along = position.z < 0.0 ? (1.0 + position.z) * (size - 4.0 * thick)
                                         : size - 4.0 * thick + position.z * 4.0 * thick;
          vec3 p = origin + thick * (position.x * u + position.y * v) + along * w;
          vec3 n = normalize(normalMatrix * (normal.x * u + normal.y * v + normal.z * w));
          light = 0.65 + 0.35 * abs(n.z);
          gl_Position = projectionMatrix * modelViewMatrix * vec4(p, 1.0);
          if (size == 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        }`,
      fragmentShader: /* glsl */ `
        uniform vec3 colour;
        uniform float opacity;
        varying float light;
        void main() {
          gl_FragColor = vec4(colour * light, opacity);
          #include <colorspace_fragment>
        }`,
    });
    const none = new BufferGeometry();
    this.object = twice((m) => {
      m.uniforms.width = this.width;
      return new Mesh(none, m);
    }, material, order);
    this.set(new Float32Array(0), new Float32Array(0), 0);
  }

  /** Arrows from origins along vectors [m]; `width` is the radius of a shaft [m]. */
  set(origins: Float32Array, vectors: Float32Array, width: number): void {
    const count = origins.length / 3;
    if (this.room === 0 || count > this.room) {
      this.room = roomFor(count);
      replaceGeometry(this.object, arrowGeometry(this.room));
    }
    const geometry = (this.object.children[0] as Drawn).geometry as InstancedBufferGeometry;
    write(geometry, 'origin', origins);
    write(geometry, 'vector', vectors);
    geometry.instanceCount = count;
    showParts(this.object, count);
    this.width.value = width;
  }
}

/** A shaft from z = −1 to 0 and a head from 0 to 1, in units that the shader stretches. */
function arrowGeometry(room: number): InstancedBufferGeometry {
  const shaft = new CylinderGeometry(0.5, 0.5, 1, 8, 1, true).rotateX(Math.PI / 2).translate(0, 0, -0.5).toNonIndexed();
  const head = new ConeGeometry(1.5, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5).toNonIndexed();
  const geometry = new InstancedBufferGeometry();
  for (const name of ['position', 'normal']) {
    const parts = [shaft, head].map((g) => g.getAttribute(name).array as Float32Array);
    // The end of the shaft at 0 belongs to the shaft.
    if (name === 'position') parts[0] = parts[0]!.map((x, k) => (k % 3 === 2 && x > -1e-6 ? -1e-6 : x));
    geometry.setAttribute(name, new BufferAttribute(new Float32Array([...parts[0]!, ...parts[1]!]), 3));
  }
  for (const name of ['origin', 'vector']) {
    geometry.setAttribute(name, new InstancedBufferAttribute(new Float32Array(3 * room), 3).setUsage(DynamicDrawUsage));
  }
  return geometry;
}
