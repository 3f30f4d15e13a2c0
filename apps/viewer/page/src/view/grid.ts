// The ground grid: lines every power of ten, square to the up axis, fading with distance. The two ground axes are
// coloured. Below it lies a plane that shows shadows where no floor does.

import { Color, DoubleSide, Group, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial, Vector3 } from 'three';
import type { Axis } from '../data/types';

const AXES = { x: 0, y: 1, z: 2 } as const;
const AXIS_COLOURS = [0xd8524a, 0x4fa052, 0x4a79d8];

export class Grid {
  readonly object = new Group();
  private readonly material: ShaderMaterial;
  private readonly lines: Mesh;
  private readonly shade: Mesh<PlaneGeometry, ShadowMaterial>;
  private readonly up: 0 | 1 | 2;

  constructor(up: Axis) {
    this.up = AXES[up];
    const [first, second] = [(this.up + 1) % 3, (this.up + 2) % 3];
    this.material = new ShaderMaterial({
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
      polygonOffset: true,
      polygonOffsetFactor: -2,
      polygonOffsetUnits: -2,
      uniforms: {
        spacing: { value: 1 }, reach: { value: 10 }, centre: { value: new Vector3() }, ink: { value: new Color() },
        firstColour: { value: new Color(AXIS_COLOURS[first]) }, secondColour: { value: new Color(AXIS_COLOURS[second]) },
      },
      vertexShader: /* glsl */ `
        varying vec3 place;
        void main() {
          place = (modelMatrix * vec4(position, 1.0)).xyz;
          gl_Position = projectionMatrix * viewMatrix * vec4(place, 1.0);
        }`,
      fragmentShader: fragmentCode('xyz'[first]!, 'xyz'[second]!),
    });
    const plane = new PlaneGeometry(1, 1);
    if (this.up === 1) plane.rotateX(-Math.PI / 2);
    if (this.up === 0) plane.rotateY(Math.PI / 2);
    this.lines = new Mesh(plane, this.material);
    this.shade = new Mesh(plane, new ShadowMaterial({ opacity: 0.22 }));
    this.shade.receiveShadow = true;
    this.shade.material.polygonOffset = true;
    this.shade.material.polygonOffsetFactor = this.shade.material.polygonOffsetUnits = 1;
    this.lines.renderOrder = 2;
    this.object.add(this.shade, this.lines);
  }

  /** Lays the grid at a height below a scene of this centre and radius [m]. */
  place(centre: Vector3, radius: number, height: number): void {
    const size = 40 * radius;
    this.object.position.copy(centre).setComponent(this.up, height);
    this.object.scale.setScalar(size);
    this.material.uniforms.spacing!.value = 10 ** Math.round(Math.log10(Math.max(radius, 1e-9) / 3));
    this.material.uniforms.reach!.value = 12 * radius;
    this.material.uniforms.centre!.value.copy(this.object.position);
  }

  setInk(colour: string): void {
    this.material.uniforms.ink!.value.set(colour);
  }

  setShade(on: boolean): void {
    this.shade.visible = on;
  }
}

function fragmentCode(first: string, second: string): string {
  return /* glsl */ `
    uniform float spacing;
    uniform float reach;
    uniform vec3 centre;
    uniform vec3 ink;
    uniform vec3 firstColour;
    uniform vec3 secondColour;
    varying vec3 place;
    float lines(vec2 at) {
      vec2 wide = fwidth(at);
      vec2 near = abs(fract(at - 0.5) - 0.5) / max(wide, 1e-9);
      // Lines closer than a few pixels melt away instead of flickering.
      vec2 strength = (1.0 - smoothstep(0.5, 1.2, near)) * (1.0 - smoothstep(0.15, 0.4, wide));
      return max(strength.x, strength.y);
    }
    void main() {
      vec2 at = vec2(place.${first}, place.${second});
      float fade = 1.0 - smoothstep(0.2, 1.0, distance(place, centre) / reach);
      float strength = max(0.22 * lines(at / spacing), 0.42 * lines(at / (10.0 * spacing)));
      vec2 axis = 1.0 - smoothstep(0.6, 1.5, abs(at) / max(fwidth(at), 1e-9));
      vec3 colour = mix(mix(ink, secondColour, axis.x), firstColour, axis.y);
      float alpha = max(strength, 0.8 * max(axis.x, axis.y)) * fade;
      if (alpha < 0.004) discard;
      gl_FragColor = vec4(colour, alpha);
      #include <colorspace_fragment>
    }`;
}
