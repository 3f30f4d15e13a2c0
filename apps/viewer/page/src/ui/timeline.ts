// The bar below the view: play, pause, step, scrub, loop, speed.

import { SPEEDS, type Player } from '../player';
import { el, icon, iconButton, setPressed } from './dom';

export function timeline(player: Player): HTMLElement {
  const play = iconButton('play', 'Play or pause (space)', () => player.toggle());
  play.classList.add('primary');
  player.playing.watch((on) => play.replaceChildren(icon(on ? 'pause' : 'play')));

  const slider = el('input', {
    type: 'range', min: '0', step: '1', className: 'scrub', 'aria-label': 'Frame',
    oninput: () => player.seek(Number(slider.value)),
    // Arrow keys belong to the whole page; without this a focused slider would move twice.
    onkeydown: (event: KeyboardEvent) => event.preventDefault(),
  });
  const frame = el('output', { className: 'frame-number' });
  const time = el('output', { className: 'frame-time' });
  const show = () => {
    const last = Math.max(0, player.count.value - 1);
    slider.max = String(last);
    slider.value = String(player.index.value);
    slider.style.setProperty('--part', `${(100 * player.index.value) / Math.max(1, last)}%`);
    frame.textContent = `${player.index.value} / ${last}`;
    time.textContent = `${player.timeOf(player.index.value).toFixed(3)} s`;
  };
  player.index.watch(show);
  player.count.watch(show);

  const loop = iconButton('loop', 'Loop (L)', () => { player.loop.value = !player.loop.value; });
  player.loop.watch((on) => setPressed(loop, on));
  const speed = el('select', {
    title: 'Speed ([ and ])', 'aria-label': 'Speed', onchange: () => { player.speed.value = Number(speed.value); },
  }, ...SPEEDS.map((s) => el('option', { value: String(s) }, `${s}×`)));
  player.speed.watch((s) => { speed.value = String(s); });
  const follow = el('button', {
    type: 'button', className: 'follow', title: 'Show the newest frame (N)',
    onclick: () => { player.following.value = true; player.refresh(); },
  }, 'newest');
  player.following.watch((on) => setPressed(follow, on));

  return el('footer', { className: 'timeline' },
    el('div', { className: 'buttons' },
      iconButton('first', 'First frame (home)', () => player.seek(0)),
      iconButton('back', 'One frame back (←)', () => player.step(-1)),
      play,
      iconButton('forward', 'One frame on (→)', () => player.step(1)),
      iconButton('last', 'Last frame (end)', () => player.seek(player.count.value - 1))),
    slider,
    el('div', { className: 'numbers' }, frame, time),
    el('div', { className: 'options' }, follow, loop, speed));
}
