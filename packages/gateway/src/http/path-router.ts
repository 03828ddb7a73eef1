import type { ParamIndexMap, Result, Router } from 'hono/router';
import { type Fit, Patterns } from './patterns.ts';

interface Added<T> {
  method: string;
  pattern: string;
  handler: T;
}

type Handlers<T> = [T, ParamIndexMap][];

/**
 * Hono's router for the paths that we have: parts in full, `:name`, and `/*` at the end. Hono's own fast one can't be had, because
 * it refuses `/v1/transactions/confirmations/` beside `/v1/transactions/:id/`, and the one that it falls back to is three to ten times
 * as slow (measured: 0.6 to 1.4 µs). Paths are in normal form (`routing.ts`), so each ends with a slash.
 */
export class PathRouter<T> implements Router<T> {
  readonly name = 'PathRouter';
  readonly #added: Added<T>[] = [];
  #patterns: Patterns | null = null;
  readonly #known = new Map<Fit, Map<string, Handlers<T>> | null>();
  readonly #join: (middleware: T, handler: T) => T | null;

  /** @param join makes one of a middleware and the only handler behind it; null when it can't */
  constructor(join: (middleware: T, handler: T) => T | null = () => null) {
    this.#join = join;
  }

  /** @throws Error for a pattern with anything else in it */
  add(method: string, path: string, handler: T): void {
    if (!/^(?:\/(?::\w+|[\w.-]+))*(?:\/\*?)$/.test(path) || (path.includes('*') && path.includes(':')))
      throw new Error(`The path ${path} is none that is routed here`);
    this.#added.push({ method, pattern: path, handler });
    this.#patterns = null;
    this.#known.clear();
  }

  match(method: string, path: string): Result<T> {
    this.#patterns ??= new Patterns(this.#added.map(({ pattern }) => pattern).filter((pattern) => !pattern.endsWith('*')));
    const fit = this.#patterns.find(path);
    const known = fit && this.#knownOf(fit);
    const handlers = known?.get(method) ?? this.#collect(fit, method, path);
    // Methods are what callers write; a few are real.
    if (known && known.size < MAX_METHODS) known.set(method, handlers);
    return [handlers, fit?.hasParameter ? path.split('/') : NO_PARTS];
  }

  /** Handlers by method; null where they are not the same for every path that fits. */
  #knownOf(fit: Fit): Map<string, Handlers<T>> | null {
    let known = this.#known.get(fit);
    if (known === undefined) {
      const { patterns } = fit;
      // A pattern without a parameter fits one path only.
      const isDecided = patterns.some(isFixed) || patterns.every((one) => this.#added.every(({ pattern }) => isDecidedBy(one, pattern)));
      this.#known.set(fit, (known = isDecided ? new Map() : null));
    }
    return known;
  }

  #collect(fit: Fit | null, method: string, path: string): Handlers<T> {
    const fitting = new Set(fit?.patterns);
    const found = this.#added
      .filter((added) => added.method === method || added.method === 'ALL')
      .filter(({ pattern }) => (pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : fitting.has(pattern)));
    const [first, last, more] = found;
    const one = first && last && !more && !last.pattern.endsWith('*') ? this.#join(first.handler, last.handler) : null;
    if (last && one !== null) return [[one, params(last.pattern)]];
    return found.map(({ pattern, handler }) => [handler, params(pattern)]);
  }
}

const MAX_METHODS = 16;
const NO_PARTS: string[] = [];

const isFixed = (pattern: string): boolean => !pattern.includes(':');

/** Whether middleware is there for all paths of the pattern or for none: not so where a parameter stands for a part of its own path. */
function isDecidedBy(pattern: string, other: string): boolean {
  if (!other.endsWith('*')) return true;
  const [start, prefix] = [pattern.slice(0, pattern.indexOf(':')), other.slice(0, -1)];
  return start.startsWith(prefix) || !prefix.startsWith(start);
}

/** Which part of a path is which parameter. */
function params(pattern: string): ParamIndexMap {
  const found = pattern.split('/').flatMap((part, at) => (part.startsWith(':') ? [[part.slice(1), at] as const] : []));
  return Object.fromEntries(found);
}
