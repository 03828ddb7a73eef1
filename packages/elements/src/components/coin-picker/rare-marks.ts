import { loadMarks } from '../../core/lazy-registry.ts';

/** Whether a coin or a network has no mark yet, outside the collapsed lists. */
export const lacksMark = (root: ParentNode): boolean =>
  [...root.querySelectorAll(':is([part=mark], .spot):not(details *)')].some(
    (place) => !place.querySelector('svg'),
  );

/** Loads the marks of the less common coins; without them, their symbols stay. */
export function loadRare(then: () => void): void {
  void loadMarks()
    .then((marks) => marks?.loadRareMarks())
    .then(then, () => {});
}
