// Contacts: a dot each, an arrow for the normal force and one for friction.

import { Group } from 'three';
import { Arrows, Dots } from './marks';

export const NORMAL_COLOUR = '#e8862e';
export const FRICTION_COLOUR = '#2f7fd6';
const CONTACT_COLOUR = '#7a3ea8';

/** More arrows than this hide each other. */
const MAX_ARROWS = 20000;
/** Length of the longest arrow, and of the shortest normal, in radii of the scene. */
const LONGEST = 0.4;
const SHORTEST = 0.05;

export class ContactMarks {
  readonly object = new Group();
  private readonly dots = new Dots(CONTACT_COLOUR, 9, false, 18);
  private readonly normals = new Arrows(NORMAL_COLOUR, 12);
  private readonly friction = new Arrows(FRICTION_COLOUR, 14);
  /** The largest force met so far [N]: the scale holds still while frames go by. */
  largestForce = 0;

  constructor() {
    this.object.add(this.normals.object, this.friction.object, this.dots.object);
  }

  show(on: { contacts: boolean; normals: boolean; friction: boolean }): void {
    this.dots.object.visible = on.contacts;
    this.normals.object.visible = on.contacts && on.normals;
    this.friction.object.visible = on.contacts && on.friction;
  }

  /** Nine numbers per contact: point, normal, force. */
  set(contacts: Float32Array, radius: number): void {
    const count = contacts.length / 9;
    const points = new Float32Array(3 * count);
    for (let c = 0; c < count; c++) {
      for (let k = 0; k < 3; k++) points[3 * c + k] = contacts[9 * c + k]!;
      this.largestForce = Math.max(this.largestForce, Math.hypot(contacts[9 * c + 6]!, contacts[9 * c + 7]!, contacts[9 * c + 8]!));
    }
    this.dots.set(points);
    this.setArrows(contacts, points, Math.min(count, MAX_ARROWS), radius);
  }

  private setArrows(contacts: Float32Array, points: Float32Array, count: number, radius: number): void {
    const along = new Float32Array(3 * count);
    const across = new Float32Array(3 * count);
    const scale = this.largestForce > 0 ? (LONGEST * radius) / this.largestForce : 0;
    for (let c = 0; c < count; c++) {
      const at = (k: number) => contacts[9 * c + k]!;
      const normalForce = at(3) * at(6) + at(4) * at(7) + at(5) * at(8);
      const length = Math.max(scale * normalForce, SHORTEST * radius);
      for (let k = 0; k < 3; k++) {
        along[3 * c + k] = length * at(3 + k);
        across[3 * c + k] = scale * (at(6 + k) - normalForce * at(3 + k));
      }
    }
    const origins = points.subarray(0, 3 * count);
    this.normals.set(origins, along, 0.011 * radius);
    this.friction.set(origins, across, 0.011 * radius);
  }
}
