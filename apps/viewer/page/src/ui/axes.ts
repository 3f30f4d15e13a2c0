// Which way x, y and z point: a small drawing in the corner of the view.

import { Vector3, type PerspectiveCamera } from 'three';
import type { Axis } from '../data/types';

const SPACE = 'http://www.w3.org/2000/svg';
const COLOURS = { x: '#d8524a', y: '#4fa052', z: '#4a79d8' } as const;

export class Axes {
  readonly element = document.createElementNS(SPACE, 'svg');
  private readonly parts = (['x', 'y', 'z'] as const).map((name) => {
    const group = document.createElementNS(SPACE, 'g');
    const line = document.createElementNS(SPACE, 'line');
    const text = document.createElementNS(SPACE, 'text');
    line.setAttribute('stroke', COLOURS[name]);
    text.setAttribute('fill', COLOURS[name]);
    text.textContent = name;
    group.append(line, text);
    return { name, group, line, text };
  });

  constructor(up: Axis) {
    this.element.setAttribute('viewBox', '-40 -40 80 80');
    this.element.setAttribute('class', 'axes');
    this.element.setAttribute('role', 'img');
    this.element.setAttribute('aria-label', `Axes; ${up} is up`);
  }

  update(camera: PerspectiveCamera): void {
    const turned = this.parts.map((part) => {
      const v = new Vector3(Number(part.name === 'x'), Number(part.name === 'y'), Number(part.name === 'z'));
      return { ...part, v: v.applyQuaternion(camera.quaternion.clone().invert()) };
    });
    turned.sort((a, b) => a.v.z - b.v.z);
    for (const { group, line, text, v } of turned) {
      line.setAttribute('x2', String(24 * v.x));
      line.setAttribute('y2', String(-24 * v.y));
      text.setAttribute('x', String(32 * v.x));
      text.setAttribute('y', String(-32 * v.y));
      this.element.append(group);
    }
  }
}
