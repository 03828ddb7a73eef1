/** Finds the declared patterns that match a path. */
export interface Fit {
  /** In order of declaration. */
  readonly patterns: readonly string[];
  readonly hasParameter: boolean;
}

/** A pattern by its parts; null matches any part, as `:id` does. */
interface Shape {
  pattern: string;
  parts: readonly (string | null)[];
  alone: Fit;
}

/**
 * Finds the declared patterns that match a path: by one look-up when the path was declared
 * literally, else among those with as many parts. A path without an id also matches `:id`.
 */
export class Patterns {
  readonly #fixed = new Map<string, Fit>();
  readonly #shapes: Shape[][] = [];
  /** Interns sets of patterns, so that equal sets are one object. */
  readonly #several = new Map<string, Fit>();

  constructor(patterns: Iterable<string>) {
    const unique = [...new Set(patterns)];
    for (const pattern of unique) {
      const parts = pattern.split('/').map((part) => (part.startsWith(':') ? null : part));
      (this.#shapes[parts.length] ??= []).push({ pattern, parts, alone: fitOf([pattern]) });
    }
    for (const pattern of unique)
      if (!pattern.includes(':')) this.#fixed.set(pattern, this.#search(pattern)!);
  }

  /** @returns null when none matches; the same object for the same patterns */
  find(path: string): Fit | null {
    return this.#fixed.get(path) ?? this.#search(path);
  }

  #search(path: string): Fit | null {
    const parts = path.split('/');
    const fitting = this.#shapes[parts.length]?.filter((shape) => fits(shape, parts)) ?? [];
    return fitting.length > 1 ? this.#together(fitting) : (fitting[0]?.alone ?? null);
  }

  #together(shapes: readonly Shape[]): Fit {
    const patterns = shapes.map(({ pattern }) => pattern);
    const name = patterns.join(' ');
    const known = this.#several.get(name) ?? fitOf(patterns);
    this.#several.set(name, known);
    return known;
  }
}

const fitOf = (patterns: readonly string[]): Fit => ({
  patterns,
  hasParameter: patterns.some((pattern) => pattern.includes(':')),
});

function fits({ parts: wanted }: Shape, parts: readonly string[]): boolean {
  for (let at = 0; at < wanted.length; at += 1) {
    const part = wanted[at];
    if (part === null ? parts[at] === '' : parts[at] !== part) return false;
  }
  return true;
}
