import { type LocaleModule, str } from '@lit/localize';
import type { MsgFn } from '@lit/localize/internal/types.js';
import { load } from './generated/loaders.ts';
import { sourceLocale, targetLocales } from './generated/locale-codes.ts';

/** The texts of one language, as `lit-localize build` writes them. */
export type Templates = LocaleModule['templates'];

/** Languages at hand; the source language needs no texts of its own. */
const known = new Map<string, Templates>([[sourceLocale, {}]]);
/** Files that were asked for; null once they are here. */
const asked = new Map<string, Promise<void> | null>();
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
  // Shop systems write `de_DE`.
  const base = wanted.split(/[-_]/)[0];
  // Chinese is told apart by its script, which a tag often only implies.
  const script = base === 'zh' ? (/hant|tw|hk|mo/.test(wanted) ? 'zh-hant' : 'zh-hans') : wanted;
  return targetLocales.findLast((locale) => [script, base].includes(locale.toLowerCase())) ?? sourceLocale;
}

/** The direction in which a language is written. */
export const directionOf = (locale: string): 'ltr' | 'rtl' => (/^(ar|fa|he|ur)\b/.test(locale) ? 'rtl' : 'ltr');

/** Makes texts of a language usable at once. */
export function addLocale(locale: string, templates: Templates): void {
  known.set(locale, { ...known.get(locale), ...templates });
}

/**
 * Fetches a language: all of it, or only what paying needs.
 * @returns undefined when it is at hand. What cannot be fetched is drawn in the source language: a buyer can still pay.
 */
export function loadLocale(locale: string, all = true): Promise<unknown> | undefined {
  if (locale === sourceLocale) return undefined;
  const loading = [loadTexts(locale, ''), all ? loadTexts(locale, '-later') : null].filter((load) => load !== null);
  return loading.length ? Promise.all(loading) : undefined;
}

function loadTexts(locale: string, part: '' | '-later'): Promise<void> | null {
  const name = locale + part;
  if (!asked.has(name))
    asked.set(
      name,
      load(name)
        .then(({ templates }) => addLocale(locale, templates))
        .catch(() => {})
        .then(() => void asked.set(name, null)),
    );
  return asked.get(name)!;
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
