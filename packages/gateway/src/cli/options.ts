import { UsageError } from './io.ts';

/** @throws UsageError for an unknown word */
export function requireOneOf<T extends string>(
  option: string,
  allowed: readonly T[],
  text: string,
): T {
  const found = allowed.find((known) => known === text);
  if (found !== undefined) return found;
  const all = [allowed.slice(0, -1).join(', '), allowed.at(-1)].filter(Boolean).join(' or ');
  throw new UsageError(`${option} takes ${all}, not "${text}".`);
}
