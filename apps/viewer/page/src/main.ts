// Where the page starts: a run in the page itself, or behind the server that sent it.

import './style.css';
import { App } from './app';
import { openBundle } from './data/bundle_source';
import { FrameCache } from './data/frame_cache';
import { openServer } from './data/server_source';
import type { RunSource } from './data/types';
import { fullNotice } from './ui/notice';
import { createTheme } from './ui/theme';

const root = document.getElementById('app')!;

function waiting(): void {
  if (root.dataset.waiting) return;
  root.dataset.waiting = 'true';
  root.replaceChildren(fullNotice('The scene is being built', 'The first frame comes in a moment.', true));
}

async function open(): Promise<RunSource> {
  const bundled = await openBundle();
  if (bundled) return bundled;
  if (!location.protocol.startsWith('http')) {
    throw new Error('This page holds no run. Make one that does with: stiction export RUN --to html');
  }
  return openServer(waiting);
}

async function start(): Promise<void> {
  const theme = createTheme();
  try {
    const source = await open();
    const cache = new FrameCache(source);
    // All that the first picture needs is asked for before the slow start of WebGL.
    cache.prefetch([0], 'body');
    void source.stats().catch(() => undefined);
    const topology = await source.topology();
    delete root.dataset.waiting;
    await new App(root, source, topology, cache, theme).start();
  } catch (error) {
    root.dataset.failed = 'true';
    root.replaceChildren(fullNotice('This run cannot be shown', error instanceof Error ? error.message : String(error)));
  }
}

void start();
