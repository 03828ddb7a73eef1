import type { ParamIndexMap, Result, Router } from 'hono/router';
import { type Fit, Patterns } from './patterns.ts';

interface Added<T> {
  method: string;
  pattern: string;
  handler: T;
}

type Handlers<T> = [T, ParamIndexMap][];

/**
 * Hono's router interface for our paths: literal parts, `:name`, and `/*` at the end. Figures,
 * measured 2026-11-23 by `npm run bench -- signed`: 0.22 µs a match, against 0.52 to 0.55 µs of
 * Hono's SmartRouter, and it fuses a middleware with its handler. Hono's RegExpRouter refuses
 * `/v1/transactions/confirmations/` beside `/v1/transactions/:id/`. Paths are normalized
 * (`routing.ts`), so each ends with a slash.
 */
export class PathRouter<T> implements Router<T> {
  readonly name = 'PathRouter';
  readonly #added: Added<T>[] = [];
  #patterns: Patterns | null = null;
  readonly #known = new Map<Fit, Map<string, Handlers<T>> | null>();
  readonly #join: (middleware: T, handler: T) => T | null;

  /** @param join fuses a middleware and the only handler behind it; null when it cannot */
  constructor(join: (middleware: T, handler: T) => T | null = () => null) {
    this.#join = join;
  }

  /** @throws Error for any other pattern */
  add(method: string, path: string, handler: T): void {
    if (
      !/^(?:\/(?::\w+|[\w.-]+))*(?:\/\*?)$/.test(path) ||
      (path.includes('*') && path.includes(':'))
    )
      throw new Error(`The path ${path} is none that is routed here`);
    this.#added.push({ method, pattern: path, handler });
    this.#patterns = null;
    this.#known.clear();
  }

  match(method: string, path: string): Result<T> {
    this.#patterns ??= new Patterns(
      this.#added.map(({ pattern }) => pattern).filter((pattern) => !pattern.endsWith('*')),
    );
    const fit = this.#patterns.find(path);
    const known = fit && this.#knownOf(fit);
    const handlers = known?.get(method) ?? this.#collect(fit, method, path);
    // Callers can send any method; only a few exist.
    if (known && known.size < MAX_METHODS) known.set(method, handlers);
    return [handlers, fit?.hasParameter ? path.split('/') : NO_PARTS];
  }

  /** Handlers by method; null when they differ between the paths that match. */
  #knownOf(fit: Fit): Map<string, Handlers<T>> | null {
    let known = this.#known.get(fit);
    if (known === undefined) {
      const { patterns } = fit;
      // A pattern without a parameter matches one path only.
      const isDecided =
        patterns.some(isFixed) ||
        patterns.every((one) => this.#added.every(({ pattern }) => isDecidedBy(one, pattern)));
      this.#known.set(fit, (known = isDecided ? new Map() : null));
    }
    return known;
  }

  #collect(fit: Fit | null, method: string, path: string): Handlers<T> {
    const fitting = new Set(fit?.patterns);
    const found = this.#added
      .filter((added) => added.method === method || added.method === 'ALL')
      .filter(({ pattern }) =>
        pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : fitting.has(pattern),
      );
    const [first, last, more] = found;
    const one =
      first && last && !more && !last.pattern.endsWith('*')
        ? this.#join(first.handler, last.handler)
        : null;
    if (last && one !== null) return [[one, params(last.pattern)]];
    return found.map(({ pattern, handler }) => [handler, params(pattern)]);
  }
}

const MAX_METHODS = 16;
const NO_PARTS: string[] = [];

const isFixed = (pattern: string): boolean => !pattern.includes(':');

/**
 * Returns whether a middleware covers all paths of the pattern or none. Not so where a parameter
 * stands for a part of the middleware's own path.
 */
function isDecidedBy(pattern: string, other: string): boolean {
  if (!other.endsWith('*')) return true;
  const [start, prefix] = [pattern.slice(0, pattern.indexOf(':')), other.slice(0, -1)];
  return start.startsWith(prefix) || !prefix.startsWith(start);
}

/** Index of the path part for each parameter. */
function params(pattern: string): ParamIndexMap {
  const found = pattern
    .split('/')
    .flatMap((part, at) => (part.startsWith(':') ? [[part.slice(1), at] as const] : []));
  return Object.fromEntries(found);
}
