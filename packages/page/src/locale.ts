import { every } from '@crypto-checkout/elements/generated/every';
import { addLocale, pickLocale, textsOf } from '@crypto-checkout/elements/locale';

/** A server has all languages loaded; a browser fetches the one that it needs. */
for (const [locale, templates] of Object.entries(every)) addLocale(locale, templates);

const MAX_RANGES = 20;

/** The languages of an `Accept-Language` header, best first (RFC 9110, section 12.5.4). */
export function acceptedLanguages(header: string | null): string[] {
  return (header ?? '')
    .split(',', MAX_RANGES)
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
      const quality = parameters.find((parameter) => parameter.startsWith('q='));
      return { tag, quality: quality ? Number(quality.slice(2)) : 1 };
    })
    .filter(({ tag, quality }) => /^[a-z]{1,8}(-[a-z\d]{1,8})*$/i.test(tag) && quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag);
}

const SOURCE = pickLocale(null);

/**
 * The language of the answer: the requested `lang`, else the first accepted one that exists, else
 * the source language.
 */
export function chooseLocale(lang: string | null, acceptLanguage: string | null): string {
  for (const tag of [...(lang ? [lang] : []), ...acceptedLanguages(acceptLanguage)]) {
    const locale = pickLocale(tag);
    // `pickLocale` also falls back to the source language: it counts only when it was requested.
    if (textsOf(locale) !== SOURCE || tag.toLowerCase().split(/[-_]/)[0] === SOURCE) return locale;
  }
  return SOURCE;
}

/** The language for a browser whose address names none. */
export const acceptedLocale = (acceptLanguage: string | null): string =>
  chooseLocale(null, acceptLanguage);
