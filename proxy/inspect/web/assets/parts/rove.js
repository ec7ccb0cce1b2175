/**
 * Elements of which one alone is a stop of the Tab key. Other keys, which a screen binds, walk
 * through those that are not hidden.
 */
export class Rove {
  /** @param {Element[]} elements in their order */
  constructor(elements) {
    this.elements = elements;
    for (const element of elements) {
      element.setAttribute('tabindex', '-1');
      element.addEventListener('focus', () => this.stopAt(element));
    }
    this.settle();
  }

  shown() {
    return this.elements.filter((element) => !element.closest('[hidden]'));
  }

  stopAt(element) {
    this.current?.setAttribute('tabindex', '-1');
    element?.setAttribute('tabindex', '0');
    this.current = element;
  }

  /** Makes the first element the stop, if the stop is hidden or if there is none yet. */
  settle() {
    if (!this.current || this.current.closest('[hidden]')) this.stopAt(this.shown()[0]);
  }

  /** Says whether the focus is on the first or on the last element. */
  atEdge(step) {
    return this.shown().at(step < 0 ? 0 : -1) === document.activeElement;
  }

  /** Moves the focus by so many elements; from outside, to the stop. */
  walk(step) {
    const shown = this.shown();
    const at = shown.indexOf(document.activeElement);
    const next = at < 0 ? this.current : shown[Math.min(Math.max(at + step, 0), shown.length - 1)];
    next?.focus();
    next?.scrollIntoView({ block: 'nearest' });
  }
}
