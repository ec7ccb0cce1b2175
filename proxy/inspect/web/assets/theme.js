// The theme: that of the system, or one that the reader has chosen and this browser remembers.

const key = 'paytape-theme';
const order = ['system', 'light', 'dark'];

/** Returns "system", "light" or "dark". */
export function theme() {
  return localStorage.getItem(key) ?? 'system';
}

/** Goes on to the next theme and returns its name. */
export function nextTheme() {
  const next = order[(order.indexOf(theme()) + 1) % order.length];
  if (next === 'system') {
    localStorage.removeItem(key);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(key, next);
    document.documentElement.dataset.theme = next;
  }
  return next;
}
