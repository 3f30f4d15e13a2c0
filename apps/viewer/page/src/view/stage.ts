// Canvas, camera, light, and the moment when a picture is drawn: only when something has changed.

import {
  Box3, DirectionalLight, HemisphereLight, PCFShadowMap, PerspectiveCamera, Scene, Sphere, Vector3, WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { Axis } from '../data/types';
import { pixelSize } from './tubes';

const FIELD_OF_VIEW = 30;
/** Where the camera starts, as in `stiction render`. */
const AZIMUTH = (30 * Math.PI) / 180;
const ELEVATION = (24 * Math.PI) / 180;
/** Free space around what is fitted to the view. */
const MARGIN = 1.15;
/** Objects in a scene without bodies: sky, sun, its target, and the camera with the lamp. */
const LIGHTS = 4;

export class Stage {
  readonly scene = new Scene();
  /** Whether pictures are drawn by the processor (remote desktops, virtual machines): no shadows, no smooth edges. */
  readonly software: boolean;
  readonly camera = new PerspectiveCamera(FIELD_OF_VIEW, 1, 0.01, 100);
  private readonly renderer: WebGLRenderer;
  private readonly controls: OrbitControls;
  private readonly sun = new DirectionalLight(0xffffff, 2.4);
  private readonly lamp = new DirectionalLight(0xffffff, 0.5);
  private readonly up: Vector3;
  private readonly sphere = new Sphere(new Vector3(), 1);
  private pending = false;
  private readonly watchers: (() => void)[] = [];
  private readonly once: (() => void)[] = [];

  constructor(readonly canvas: HTMLCanvasElement, up: Axis) {
    this.software = drawsInSoftware();
    const antialias = !this.software;
    const context = canvas.getContext('webgl2', { antialias, alpha: true, powerPreference: 'high-performance' });
    if (!context) throw new Error('This browser does not offer WebGL 2, which the view needs.');
    this.renderer = new WebGLRenderer({ canvas, context });
    this.renderer.debug.checkShaderErrors = import.meta.env.DEV;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false;
    this.up = new Vector3(Number(up === 'x'), Number(up === 'y'), Number(up === 'z'));
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener('change', () => this.invalidate());
    this.controls.zoomToCursor = true;
    this.light();
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
  }

  private light(): void {
    const sky = new HemisphereLight(0xf2f6ff, 0x8d8578, 1.55);
    sky.position.copy(this.up);
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.radius = 2;
    this.camera.add(this.lamp);
    this.lamp.position.set(-0.3, 0.2, 1);
    this.scene.add(sky, this.sun, this.sun.target, this.camera);
  }

  /** Shadows cost a second pass over all bodies, and a new program. */
  setShadows(on: boolean): void {
    if (this.sun.castShadow === on) return;
    this.sun.castShadow = on;
    this.moved();
  }

  /** Two unit vectors of the ground and the up axis, in a right-handed order. */
  frameAxes(): [Vector3, Vector3, Vector3] {
    const { x, y, z } = this.up;
    const first = new Vector3(z, x, y);
    return [first, new Vector3(y, z, x), this.up];
  }

  onDraw(watcher: () => void): void {
    this.watchers.push(watcher);
  }

  /** Calls back once, after the next picture. */
  onceDrawn(watcher: () => void): void {
    this.once.push(watcher);
  }

  /** Asks for a picture at the next chance. */
  invalidate(): void {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.draw();
    });
  }

  /** Things moved: shadows are out of date too. */
  moved(): void {
    this.renderer.shadowMap.needsUpdate = true;
    this.invalidate();
  }

  draw(): void {
    const distance = this.camera.position.distanceTo(this.sphere.center);
    const { radius } = this.sphere;
    this.camera.near = Math.max(distance - 40 * radius, 0.02 * Math.min(distance, radius));
    this.camera.far = distance + 60 * radius;
    this.camera.updateProjectionMatrix();
    this.renderer.render(this.scene, this.camera);
    for (const watcher of [...this.watchers, ...this.once.splice(0)]) watcher();
  }

  /** Points the light at what is there, and remembers its size. */
  encompass(bounds: Box3): void {
    bounds.getBoundingSphere(this.sphere);
    this.sphere.radius = Math.max(this.sphere.radius, 1e-6);
    const { center, radius } = this.sphere;
    const [first, second, up] = this.frameAxes();
    const reach = 1.7 * radius;
    this.sun.target.position.copy(center);
    this.sun.position.copy(center).addScaledVector(up, 4 * radius).addScaledVector(first, 1.1 * radius).addScaledVector(second, -2.2 * radius);
    Object.assign(this.sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: radius, far: 9 * radius });
    this.sun.shadow.camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.004 * radius;
    this.controls.minDistance = 0.02 * radius;
    this.controls.maxDistance = 40 * radius;
    this.moved();
  }

  /** Moves the camera so that the box fills the view; from the starting side when `anew`. */
  fit(bounds: Box3, anew: boolean): void {
    const centre = bounds.getCenter(new Vector3());
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    if (anew || direction.lengthSq() === 0) this.startingDirection(direction);
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(direction, this.distanceFor(bounds, direction));
    this.controls.update();
    this.invalidate();
  }

  /** How far from the centre of a box all its corners are inside the view, with a margin. */
  private distanceFor(bounds: Box3, direction: Vector3): number {
    const centre = bounds.getCenter(new Vector3());
    const right = new Vector3().crossVectors(this.up, direction).normalize();
    const above = new Vector3().crossVectors(direction, right);
    const tangent = Math.tan((FIELD_OF_VIEW * Math.PI) / 360) / MARGIN;
    let distance = 1e-6;
    for (let k = 0; k < 8; k++) {
      const corner = new Vector3(
        (k & 1 ? bounds.max : bounds.min).x, (k & 2 ? bounds.max : bounds.min).y, (k & 4 ? bounds.max : bounds.min).z).sub(centre);
      const aside = Math.max(Math.abs(corner.dot(right)) / this.camera.aspect, Math.abs(corner.dot(above)));
      distance = Math.max(distance, corner.dot(direction) + aside / tangent);
    }
    return distance;
  }

  private startingDirection(direction: Vector3): void {
    const [first, second, up] = this.frameAxes();
    direction.copy(up).multiplyScalar(Math.sin(ELEVATION))
      .addScaledVector(first, Math.cos(ELEVATION) * Math.sin(AZIMUTH))
      .addScaledVector(second, -Math.cos(ELEVATION) * Math.cos(AZIMUTH));
  }

  /** Looks along an axis: 0 and 1 level, 2 from above. */
  look(axis: 0 | 1 | 2): void {
    const distance = this.camera.position.distanceTo(this.controls.target);
    const [first, second, up] = this.frameAxes();
    const direction = [second.negate(), first, up.clone().addScaledVector(second, 1e-4).normalize()][axis]!;
    this.camera.position.copy(this.controls.target).addScaledVector(direction, distance);
    this.controls.update();
    this.invalidate();
  }

  /** In a view that gets narrower things keep fitting in: the camera steps back as far as it must. */
  private keepWidth(aspect: number): void {
    const step = Math.min(1, this.camera.aspect) / Math.min(1, aspect);
    this.camera.position.sub(this.controls.target).multiplyScalar(step).add(this.controls.target);
    this.camera.aspect = aspect;
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.keepWidth(width / height);
    pixelSize.value = (0.6 * Math.tan((FIELD_OF_VIEW * Math.PI) / 360)) / (height * this.renderer.getPixelRatio());
    // A resized canvas is blank until it is drawn: draw at once instead of flashing.
    if (this.scene.children.length > LIGHTS) this.draw();
  }
}

/** Asked of a context of its own, because it decides how the real one is made. */
function drawsInSoftware(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  if (!context) return true;
  const names = context.getExtension('WEBGL_debug_renderer_info');
  const name = String(context.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : context.RENDERER));
  context.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}
