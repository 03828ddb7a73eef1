import { readFileSync } from 'node:fs';
import { allLocales, sourceLocale } from '@crypto-checkout/elements/generated/locale-codes';
import { describe, expect, it } from 'vitest';

const read = (path: string): string =>
  readFileSync(new URL(`../../elements/${path}`, import.meta.url), 'utf8');

interface Row {
  readonly term: string;
  readonly word: string;
  readonly avoided: readonly string[];
}

/** The rows of a language's table. */
const glossary = (locale: string): Row[] =>
  read(`glossary/${locale}.md`)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => {
      const [, term = '', word = '', not = ''] = line.split('|').map((cell) => cell.trim());
      return { term, word, avoided: not.split(', ').filter(Boolean) };
    });

/** The texts of a language, without their values. */
const textsIn = (locale: string): string[] => {
  const [file, tag] = locale === sourceLocale ? ['de', 'source'] : [locale, 'target'];
  return [...read(`xliff/${file}.xlf`).matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))].map(
    ([, text = '']) => text.replaceAll(/<x [^>]*\/>/g, ' ').toLowerCase(),
  );
};

/** Scripts that write no space between words, or add particles to them. */
const UNSPACED = ['ja', 'ko', 'th', 'zh-Hans', 'zh-Hant'];

/** Whether the text has the word itself, and not only a longer word that contains it. */
function hasWord(text: string, word: string, locale: string): boolean {
  const sought = word.toLowerCase();
  if (UNSPACED.includes(locale)) return text.includes(sought);
  const letter = String.raw`[\p{L}\p{M}]`;
  return new RegExp(`(?<!${letter})${sought}(?!${letter})`, 'u').test(text);
}

const terms = glossary(sourceLocale).map(({ term }) => term);

it('the glossary of English has about twenty terms', () => {
  expect(terms.length).toBeGreaterThan(15);
  expect(new Set(terms).size).toBe(terms.length);
});

describe.each(allLocales)('the glossary of %s', (locale) => {
  const rows = glossary(locale);
  const texts = textsIn(locale);

  it('has a word for each term', () => {
    expect(rows.map(({ term }) => term)).toEqual(terms);
    expect(rows.filter(({ word }) => !word)).toEqual([]);
  });

  it('has the words that the texts use', () => {
    const unused = rows.filter(
      ({ word }) => !texts.some((text) => text.includes(word.toLowerCase())),
    );
    expect(unused).toEqual([]);
  });

  it('rules out words that no text uses', () => {
    const used = rows.flatMap(({ avoided }) =>
      avoided.flatMap((word) => texts.filter((text) => hasWord(text, word, locale))),
    );
    expect(used).toEqual([]);
  });
});
