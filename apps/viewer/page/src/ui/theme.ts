// Light or dark: as the system has it, until the user chooses.

import { Signal } from '../signal';

export type Theme = 'light' | 'dark';

const KEY = 'stiction-theme';

/** Pages from disk may be refused storage; then the choice lasts as long as the page. */
function stored(): Theme | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null;
  }
}

export interface ThemeChoice {
  theme: Signal<Theme>;
  toggle: () => void;
}

export function createTheme(): ThemeChoice {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const theme = new Signal<Theme>(stored() ?? (system.matches ? 'dark' : 'light'));
  theme.watch((value) => { document.documentElement.dataset.theme = value; });
  system.addEventListener('change', () => {
    if (stored() === null) theme.value = system.matches ? 'dark' : 'light';
  });
  const toggle = () => {
    theme.value = theme.value === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem(KEY, theme.value);
    } catch {
      // Not kept, still shown.
    }
  };
  return { theme, toggle };
}
