import { loadMarks } from '../../core/lazy-registry.ts';

/**
 * The marks of the less common coins, loaded once a coin or a network that has none yet is on the
 * screen; without them, their symbols stay.
 */
export class RareMarks {
  #observer: IntersectionObserver | undefined;
  /** Loaded, or about to be. A coin that is none of ours never gets a mark. */
  #isAsked = false;
  readonly #draw: () => void;

  constructor(draw: () => void) {
    this.#draw = draw;
  }

  /** Watches the places without a mark. */
  watch(root: ParentNode): void {
    if (this.#isAsked) return;
    this.#observer ??= new IntersectionObserver((places) => {
      if (places.some(({ isIntersecting }) => isIntersecting)) this.#load();
    });
    for (const place of root.querySelectorAll(':is([part=mark], .spot):not(:has(svg))'))
      this.#observer.observe(place);
  }

  #load(): void {
    this.#isAsked = true;
    this.#observer!.disconnect();
    void loadMarks()
      .then((marks) => marks?.loadRareMarks())
      .then(this.#draw, () => (this.#isAsked = false));
  }
}
