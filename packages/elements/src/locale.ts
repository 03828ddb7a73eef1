import { type LocaleModule, str } from '@lit/localize';
import type { MsgFn } from '@lit/localize/internal/types.js';
import { allLocales, sourceLocale } from './generated/locale-codes.ts';

/** The texts of one language, as `lit-localize build` writes them. */
export type Templates = LocaleModule['templates'];

const loaders: Record<string, () => Promise<LocaleModule>> = {
  ar: () => import('./generated/locales/ar.ts'),
  de: () => import('./generated/locales/de.ts'),
};

/** Languages at hand; the source language needs no texts of its own. */
const known = new Map<string, Templates>([[sourceLocale, {}]]);
let current: Templates = {};

/**
 * The text with this id in the language of the moment. `lit-localize` knows it by its type and extracts what it is called with.
 * It is ours because `configureLocalization` has one language per page, may be called only once (a shop's own code may do so), and
 * switches asynchronously, which on a server answers concurrent requests in each other's language.
 */
export const msg = ((template: string | ReturnType<typeof str>, options: { id: string }): string => {
  const found = current[options.id];
  if (typeof template === 'string') return typeof found === 'string' ? found : template;
  const { strings, values } = template;
  // A translation names the values by their numbers, in its own order.
  const other = typeof found === 'object' && found;
  return (other ? other.strings : strings).reduce(
    (text, next, at) => text + String(values[other ? (other.values[at - 1] as number) : at - 1]) + next,
  );
}) as MsgFn;

export { str };

/** The best language we have for a BCP 47 tag, the source language when there is none. */
export function pickLocale(tag: string | null | undefined): string {
  const wanted = (tag ?? '').toLowerCase();
  const code = (locale: string): boolean => [wanted, wanted.split('-')[0]].includes(locale.toLowerCase());
  return allLocales.findLast(code) ?? sourceLocale;
}

/** The direction in which a language is written. */
export const directionOf = (locale: string): 'ltr' | 'rtl' => (/^(ar|fa|he|ur)\b/.test(locale) ? 'rtl' : 'ltr');

/** Makes a language usable at once: for servers, which hold all of them. */
export function addLocale(locale: string, templates: Templates): void {
  known.set(locale, templates);
}

/**
 * Fetches a language.
 * @returns undefined when it is at hand already. A language that cannot be fetched is drawn in the source language: a buyer can still pay.
 */
export function loadLocale(locale: string): Promise<void> | undefined {
  if (known.has(locale)) return undefined;
  return loaders[locale]!().then(
    ({ templates }) => addLocale(locale, templates),
    () => addLocale(locale, {}),
  );
}

/** Runs a synchronous function in one language. A promise is refused by its type: after an `await` the language would be another one's. */
export function inLocale<T>(locale: string, run: () => T extends PromiseLike<unknown> ? never : T): T {
  const before = current;
  current = known.get(locale) ?? {};
  try {
    return run();
  } finally {
    current = before;
  }
}
