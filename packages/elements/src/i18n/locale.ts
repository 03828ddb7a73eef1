import { type LocaleModule, str } from '@lit/localize';
import type { MsgFn } from '@lit/localize/internal/types.js';
import { load } from '../generated/loaders.ts';
import { allLocales, sourceLocale } from '../generated/locale-codes.ts';

/** Texts of one language, as `lit-localize build` writes them. */
export type Templates = LocaleModule['templates'];

/** Texts by language; the source language needs none. */
const known = new Map<string, Templates>();
/** Requested files; null once loaded. */
const asked = new Map<string, Promise<void> | null>();
let current: Templates = {};

/**
 * Returns the text with this id in the current language. `lit-localize` recognizes it by its type
 * and extracts the arguments. It replaces `configureLocalization`, which supports one language per
 * page, may be called only once (also by the shop's own code), and switches asynchronously, so that
 * a server would mix the languages of concurrent requests.
 */
export const msg = ((
  template: string | ReturnType<typeof str>,
  options: { id: string },
): string => {
  const found = current[options.id];
  if (typeof template === 'string') return typeof found === 'string' ? found : template;
  const { strings, values } = template;
  // A translation refers to values by number, in its own order.
  const other = typeof found === 'object' && found;
  return (other ? other.strings : strings).reduce(
    (text, next, at) =>
      text + String(values[other ? (other.values[at - 1] as number) : at - 1]) + next,
  );
}) as MsgFn;

export { str };

/** The language of a locale, whose texts are the same in every region: `es` for `es-MX`. */
export const textsOf = (locale: string): string => locale.split(/-[A-Z\d]+$/)[0]!;

/**
 * The best supported locale for a BCP 47 tag: a language with texts, and the tag's region, whose
 * form prices, numbers and dates have. Default: American English.
 */
export function pickLocale(tag: string | null | undefined): string {
  // Also accept `de_DE`; extensions such as `-u-nu-latn` hold no region.
  const [wanted] = (tag ?? '').replaceAll('_', '-').split(/-.-/) as [string];
  const base = wanted.split('-')[0]!.toLowerCase();
  // Chinese has two scripts, which a tag often only implies.
  const texts = base === 'zh' ? (/hant|tw|hk|mo/i.test(wanted) ? 'zh-Hant' : 'zh-Hans') : base;
  const locale = (allLocales as readonly string[]).includes(texts)
    ? texts + (/-([a-z]{2}|\d{3})\b/i.exec(wanted)?.[0].toUpperCase() ?? '')
    : sourceLocale;
  return locale === 'en-US' ? sourceLocale : locale;
}

/** The writing direction of a language. */
export const directionOf = (locale: string): 'ltr' | 'rtl' =>
  /^(ar|fa|he|ur)\b/.test(locale) ? 'rtl' : 'ltr';

/** Adds the texts of a language. */
export function addLocale(locale: string, templates: Templates): void {
  known.set(locale, { ...known.get(locale), ...templates });
}

/**
 * Loads a language: all of it, or only what paying needs.
 * @returns undefined if it is loaded. Failures are ignored: the buyer can still pay in the source
 * language.
 */
export function loadLocale(locale: string, all = true): Promise<unknown> | undefined {
  const texts = textsOf(locale);
  if (texts === sourceLocale) return undefined;
  const loading = [loadTexts(texts, ''), all ? loadTexts(texts, '-later') : null].filter(
    (load) => load !== null,
  );
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

/**
 * Runs a synchronous function in one language. Its type rejects promises, because another language
 * may be current after an `await`.
 */
export function inLocale<T>(
  locale: string,
  run: () => T extends PromiseLike<unknown> ? never : T,
): T {
  const before = current;
  current = known.get(textsOf(locale)) ?? {};
  try {
    return run();
  } finally {
    current = before;
  }
}
