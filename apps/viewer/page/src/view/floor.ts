// Which collider is the ground: level, flat, fixed, below the bodies and at least as wide as they are.

import { Vector3, type Box3 } from 'three';
import type { BodyInfo } from '../data/types';

/** Its height along the up axis [m], or null. */
export function findFloor(bodies: BodyInfo[], boxes: Box3[], up: 0 | 1 | 2, subject: Box3): number | null {
  let height: number | null = null;
  const wide = subject.getSize(new Vector3());
  bodies.forEach((body, b) => {
    if (body.kind !== 'collider' || body.motion !== 'fixed') return;
    const size = boxes[b]!.getSize(new Vector3());
    const others = [0, 1, 2].filter((axis) => axis !== up);
    const flat = others.every((axis) => size.getComponent(up) < 0.05 * size.getComponent(axis));
    const covers = others.every((axis) => size.getComponent(axis) >= wide.getComponent(axis));
    const top = boxes[b]!.max.getComponent(up);
    const below = top < subject.min.getComponent(up) + 0.5 * wide.getComponent(up);
    if (flat && covers && below && (height === null || top > height)) height = top;
  });
  return height;
}
