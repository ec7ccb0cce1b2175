/**
 * Nanoseconds from one instant to another, each as JSON has it.
 * @param {string} from
 * @param {string} to
 */
export function between(from, to) {
  return (new Date(to) - new Date(from)) * 1e6;
}

/**
 * The day of an instant: "20 Nov 2026".
 * @param {string} at as JSON has it
 */
export function day(at) {
  return new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  }).format(new Date(at));
}
