import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { allLocales, sourceLocale, targetLocales } from '@crypto-checkout/elements/generated/locale-codes';
import { directionOf, inLocale, pickLocale } from '@crypto-checkout/elements/locale';
import { formatMoney } from '@crypto-checkout/elements/number';
import { describe, expect, it } from 'vitest';
import { acceptedLanguages, chooseLocale } from '../src/locale.ts';

const elements = fileURLToPath(new URL('../../elements/', import.meta.url));
const sources = readdirSync(`${elements}src`)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(`${elements}src/${file}`, 'utf8'))
  .join('\n');
const ids = new Set([...sources.matchAll(/\bid: '([a-z_.]+)'/g)].map(([, id]) => id));
const unitsOf = (locale: string): { id: string; source: string; target: string }[] =>
  [...readFileSync(`${elements}xliff/${locale}.xlf`, 'utf8').matchAll(/<trans-unit id="([^"]+)">(.*?)<\/trans-unit>/gs)].map(
    ([, id = '', body = '']) => ({
      id,
      source: /<source>(.*?)<\/source>/s.exec(body)?.[1] ?? '',
      target: /<target>(.*?)<\/target>/s.exec(body)?.[1] ?? '',
    }),
  );

describe.each(targetLocales)('the texts in %s', (locale) => {
  const units = unitsOf(locale);

  it('are all there, and no others', () => {
    expect(new Set(units.map(({ id }) => id))).toEqual(ids);
    expect(units.filter(({ target }) => !target.trim())).toEqual([]);
  });

  it('are what the generated module says', () => {
    const generated = readFileSync(`${elements}src/generated/locales/${locale}.ts`, 'utf8');
    for (const { id, target } of units) {
      expect(generated).toContain(`'${id}':`);
      for (const words of target.split(/<x [^>]*\/>/)) expect(generated).toContain(words.replaceAll('&amp;', '&').trim());
    }
  });

  it('are a translation', () => {
    const same = units.filter(({ source, target }) => source === target);
    expect(same.length).toBeLessThanOrEqual(units.length / 20);
    if (locale === 'ar') for (const { target } of units) expect(target.replace(/<x [^>]*\/>/g, '')).toMatch(/\p{Script=Arabic}/u);
  });

  it('keep every value, and set it apart where lines run from right to left', () => {
    for (const { id, source, target } of units) {
      const values = (text: string): string[] => [...text.matchAll(/<x id="(\d+)"/g)].map(([, value]) => value ?? '').toSorted();
      expect(values(target), id).toEqual(values(source));
      const apart = [...target.matchAll(/\u2068<x [^>]*\/>\u2069/g)].length;
      if (directionOf(locale) === 'rtl') expect(apart, id).toBe(values(source).length);
    }
  });
});

describe('the language of a page', () => {
  it('is the best one of Accept-Language', () => {
    expect(acceptedLanguages('de;q=0.5, ar-EG, en;q=0.9, xx;q=0, *')).toEqual(['ar-EG', 'en', 'de']);
    expect(chooseLocale(null, 'fr, ar;q=0.2')).toBe('ar');
    expect(chooseLocale(null, 'en, ar;q=0.2')).toBe('en');
    expect(chooseLocale('DE-at', 'ar')).toBe('de');
    expect(chooseLocale(null, null)).toBe(sourceLocale);
    expect(allLocales.map((locale) => pickLocale(locale))).toEqual([...allLocales]);
  });

  it('refuses to cover a promise', () => {
    // @ts-expect-error after an await the language would be another one's
    void inLocale('de', async () => Promise.resolve(''));
    expect(inLocale('de', () => 'x')).toBe('x');
  });

  it('writes money exactly, with the digits 0 to 9 in every language', () => {
    expect(formatMoney('1234567890123.123456789', 'en')).toBe('1,234,567,890,123.123456789');
    expect(formatMoney('1249.00', 'de')).toBe('1.249,00');
    for (const locale of allLocales) expect(formatMoney('49.90', locale)).toMatch(/^49[.,]90$/);
    expect(formatMoney('no amount', 'en')).toBe('no amount');
  });
});
