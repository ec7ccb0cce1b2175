// Times, durations and numbers in words.

/** Returns the time of day of an RFC 3339 time, in the zone of the reader: "11:26:46". */
export function clock(at) {
  return new Date(at).toLocaleTimeString('en-GB');
}

/** Returns how much later one time is than another, in seconds: "+8.12". */
export function later(at, start) {
  const seconds = (new Date(at) - new Date(start)) / 1000;
  return `${seconds < 0 ? '\u2212' : '+'}${Math.abs(seconds).toFixed(2)}`;
}

/** Returns a duration, given in nanoseconds, as milliseconds without their unit: "0.2", "301". */
export function millis(nanoseconds) {
  const ms = nanoseconds / 1e6;
  return ms < 10 ? ms.toFixed(1) : Math.round(ms).toString();
}

/** Returns a duration, given in nanoseconds, with its unit: "0.2 ms", "301 ms", "8.4 s", "3 min". */
export function took(nanoseconds) {
  const seconds = nanoseconds / 1e9;
  if (seconds >= 120) return `${Math.round(seconds / 60)} min`;
  if (seconds >= 1) return `${seconds.toFixed(1)} s`;
  return `${millis(nanoseconds)} ms`;
}

/** Returns a number with its noun: "1 hit", "67 hits", "3 misses". */
export function counted(n, noun, several = `${noun}s`) {
  return `${number(n)} ${n === 1 ? noun : several}`;
}

/** Returns a number with a thin space between thousands: "100 000". */
export function number(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/** Returns the mask of a card as lists have it: "500000******1115" becomes "500000..1115". */
export function shortMask(mask) {
  return mask.replace(/\*+/, '..');
}

/** Returns the beginning of a text, with an ellipsis if there is more of it. */
export function clip(text, most) {
  return text.length > most ? `${text.slice(0, most)}\u2026` : text;
}
