// Small helpers to build the page. Text from a run goes through `textContent` only: names are never markup.

type Child = Node | string | null;

/** An element with properties (attributes start with a lower-case word that no property has) and children. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K, options: Record<string, unknown> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value as EventListener);
    else if (name in element && !name.includes('-')) (element as unknown as Record<string, unknown>)[name] = value;
    else element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const ICONS = {
  first: 'M6 5v14M19 5l-9 7 9 7z',
  back: 'M16 5l-9 7 9 7z',
  play: 'M7 4l13 8-13 8z',
  pause: 'M7 4h4v16H7zM14 4h4v16h-4z',
  forward: 'M8 5l9 7-9 7z',
  last: 'M18 5v14M5 5l9 7-9 7z',
  loop: 'M17 3l3 3-3 3M20 6H8a5 5 0 0 0-5 5M7 21l-3-3 3-3M4 18h12a5 5 0 0 0 5-5',
  fit: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
  layers: 'M12 3l9 5-9 5-9-5zM3 13l9 5 9-5',
  chart: 'M4 4v16h16M7 15l4-5 4 3 5-7',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2',
  help: 'M9 9a3 3 0 1 1 4 3c-1 .6-1 1-1 2.500M12 18v.5M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20z',
  close: 'M5 5l14 14M19 5L5 19',
} as const;

const FILLED = new Set(['back', 'play', 'pause', 'forward', 'first', 'last']);

export function icon(name: keyof typeof ICONS): SVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  if (FILLED.has(name)) svg.classList.add('filled');
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', ICONS[name]);
  svg.append(path);
  return svg;
}

export function iconButton(name: keyof typeof ICONS, label: string, press: () => void): HTMLButtonElement {
  return el('button', { type: 'button', className: 'icon', title: label, 'aria-label': label.replace(/ \(.*/, ''), onclick: press }, icon(name));
}

/** A button that is pressed or not. */
export function setPressed(button: HTMLElement, pressed: boolean): void {
  button.setAttribute('aria-pressed', String(pressed));
}

/** A panel section that folds. */
export function section(title: string, ...children: Child[]): HTMLDetailsElement {
  return el('details', { open: true, className: 'section' }, el('summary', {}, title), ...children);
}

/** Few digits, but as many as tell something. */
export function compact(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(2).replace('e+', 'e');
  return String(Number(value.toPrecision(4)));
}
