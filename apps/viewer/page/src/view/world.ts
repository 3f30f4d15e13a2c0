// Everything that is drawn of a run: bodies, marks and the grid, brought to a frame.

import { Box3, Quaternion, Vector2, Vector3 } from 'three';
import type { BodyTopology, Field, FrameData, RunInfo } from '../data/types';
import type { BodyLook, BodyView } from './body_view';
import { colourTexture } from './colour_map';
import { ContactMarks } from './contact_marks';
import type { FieldUniforms } from './field_material';
import { Grid } from './grid';
import { findFloor } from './floor';
import { Dots } from './marks';
import type { Stage } from './stage';
import { SurfaceView } from './surface';
import { TubesView } from './tubes';

export interface Overlays {
  contacts: boolean;
  normals: boolean;
  friction: boolean;
  pins: boolean;
  intersections: boolean;
  grid: boolean;
  shadows: boolean;
}

export class World {
  readonly bodies: BodyView[];
  readonly looks: BodyLook[];
  readonly contacts = new ContactMarks();
  private readonly crossings = new Dots('#e5202b', 15, false, 20);
  private readonly pins = new Dots('#2b3038', 11, true, 16);
  private readonly grid: Grid;
  private readonly field: FieldUniforms = {
    fieldMap: { value: colourTexture() }, fieldRange: { value: new Vector2(0, 1) }, fieldOn: { value: 0 },
  };
  private radius = 1;
  private laidOut = false;

  constructor(private readonly stage: Stage, private readonly info: RunInfo, private readonly topology: BodyTopology[]) {
    this.bodies = info.layout.bodies.map((body, b) =>
      topology[b]!.segments.length > 0
        ? new TubesView(body, topology[b]!, this.field)
        : new SurfaceView(body, topology[b]!, this.field));
    this.looks = info.layout.bodies.map((body) => ({
      visible: true, colour: cssColour(body.colour), mode: 'surface', flat: false, edgeColour: '#000',
    }));
    this.grid = new Grid(info.layout.up_axis);
    stage.scene.add(this.grid.object, ...this.bodies.map((b) => b.object), this.pins.object, this.contacts.object, this.crossings.object);
  }

  /** Brings everything to a frame. */
  show(frame: FrameData, field: Field): void {
    let first = 0;
    let pose = 0;
    this.info.layout.bodies.forEach((body, b) => {
      const view = this.bodies[b]!;
      if (body.motion === 'free') {
        view.setPositions(frame.positions.subarray(3 * first, 3 * (first + body.vertices)));
        if (frame.scalar) view.setScalar(frame.scalar.subarray(first, first + body.vertices));
        first += body.vertices;
      } else if (body.motion === 'posed') {
        view.object.position.fromArray(frame.poses, pose);
        view.object.quaternion.copy(new Quaternion().fromArray(frame.poses, pose + 3));
        pose += 7;
      }
    });
    this.field.fieldOn.value = field === 'body' ? 0 : 1;
    if (!this.laidOut) this.layOut();
    this.contacts.set(frame.contacts, this.radius);
    this.crossings.set(frame.intersections);
    this.placePins();
    this.stage.moved();
  }

  /** Numbers that get the first and the last colour. */
  setRange(low: number, high: number): void {
    this.field.fieldRange.value.set(low, high);
    this.stage.invalidate();
  }

  applyLook(b: number): void {
    this.bodies[b]!.apply(this.looks[b]!);
    this.placePins();
    this.stage.moved();
  }

  applyOverlays(on: Overlays): void {
    this.contacts.show(on);
    this.crossings.object.visible = on.intersections;
    this.pins.object.visible = on.pins;
    this.grid.object.visible = on.grid;
    this.stage.setShadows(on.shadows);
    this.stage.invalidate();
  }

  setTheme(ink: string, edges: string): void {
    this.grid.setInk(ink);
    this.looks.forEach((look, b) => {
      look.edgeColour = edges;
      this.bodies[b]!.apply(look);
    });
    this.stage.invalidate();
  }

  fit(anew: boolean): void {
    this.stage.fit(this.subject(), anew);
  }

  /** On the first frame: sizes, the ground, the light, the camera, and which bodies look better flat. */
  private layOut(): void {
    this.laidOut = true;
    this.bodies.forEach((body, b) => {
      this.looks[b]!.flat = body.prefersFlat();
      body.apply(this.looks[b]!);
    });
    const subject = this.subject();
    const up = 'xyz'.indexOf(this.info.layout.up_axis) as 0 | 1 | 2;
    const floor = findFloor(this.info.layout.bodies, this.bodies.map((_, b) => this.bounds(b)), up, subject);
    const low = subject.min.getComponent(up);
    this.radius = Math.max(subject.getSize(new Vector3()).length() / 2, 1e-6);
    const level = low >= -0.02 * this.radius && low < 1.5 * this.radius ? 0 : low - 0.02 * this.radius;
    this.grid.place(subject.getCenter(new Vector3()), this.radius, floor ?? level);
    this.grid.setShade(floor === null);
    this.stage.encompass(subject);
    this.stage.fit(subject, true);
  }

  /** The box of what the user looks at: visible bodies, and colliders that are not much larger than those. */
  private subject(): Box3 {
    const box = new Box3();
    const bodies = this.info.layout.bodies;
    const shown = bodies.map((_, b) => b).filter((b) => this.looks[b]!.visible);
    for (const b of shown) if (bodies[b]!.kind !== 'collider') box.union(this.bounds(b));
    const size = box.isEmpty() ? Infinity : box.getSize(new Vector3()).length();
    for (const b of shown) {
      const own = this.bounds(b);
      if (bodies[b]!.kind === 'collider' && own.getSize(new Vector3()).length() < 1.5 * size) box.union(own);
    }
    return box.isEmpty() ? new Box3(new Vector3(-1, -1, -1), new Vector3(1, 1, 1)) : box;
  }

  private bounds(b: number): Box3 {
    const { object } = this.bodies[b]!;
    object.updateMatrixWorld(true);
    return new Box3().setFromArray(this.bodies[b]!.points()).applyMatrix4(object.matrixWorld);
  }

  private placePins(): void {
    const points: number[] = [];
    const at = new Vector3();
    this.bodies.forEach((body, b) => {
      if (!this.looks[b]!.visible) return;
      for (const v of this.topology[b]!.pinned) {
        at.fromArray(body.points(), 3 * v).applyMatrix4(body.object.matrixWorld);
        points.push(at.x, at.y, at.z);
      }
    });
    this.pins.set(new Float32Array(points));
  }
}

function cssColour(rgb: [number, number, number]): string {
  return `#${rgb.map((c) => Math.round(255 * Math.min(1, Math.max(0, c))).toString(16).padStart(2, '0')).join('')}`;
}
