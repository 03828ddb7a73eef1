import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { targetLocales } from '@crypto-checkout/elements/generated/locale-codes';
import { describe, expect, it } from 'vitest';
import { checkout } from '../../elements/test/support/fixture.ts';
import { createPage } from './index.ts';
import { readPage } from '../test/support/parsed-page.ts';
import { HEAVY, STAGES, request } from '../test/support/views.ts';

const page = createPage();
const elements = fileURLToPath(new URL('../../elements/', import.meta.url));
const VIEWS = [...STAGES.map((stage) => [stage, checkout(stage)] as const), ...HEAVY];
const textsIn = (view: (typeof VIEWS)[number], lang: string): string => {
  const { html } = page.render(request(view[1], { lang, show: view[2] ?? null }));
  return readPage(html.replaceAll(/<style>[^<]*<\/style>/g, ''), { scripting: false }).text.replace(
    /\s+/g,
    ' ',
  );
};

/** Texts that a translator changed, long enough to be sentences. */
const english = (locale: string): string[] =>
  [
    ...readFileSync(`${elements}xliff/${locale}.xlf`, 'utf8').matchAll(
      /<source>(.*?)<\/source>\s*<target>(.*?)<\/target>/gs,
    ),
  ]
    .filter(([, source, target]) => source !== target)
    .flatMap(([, source = '']) => source.split(/<x [^>]*\/>/))
    .map((words) => words.replaceAll('&apos;', "'").trim())
    .filter((words) => words.split(' ').length > 2);

describe('before its script a page', () => {
  it.each(targetLocales)('says nothing in English to who reads %s, durations included', (lang) => {
    const sentences = english(lang);
    expect(sentences.length).toBeGreaterThan(40);
    // Words of time that a language shares with English, or writes alike.
    const units = ['second', 'minute', 'hour'].flatMap((unit) =>
      [1, 2, 5, 30].map((count) =>
        new Intl.NumberFormat(`${lang}-u-nu-latn`, {
          style: 'unit',
          unit,
          unitDisplay: 'long',
        }).format(count),
      ),
    );
    for (const view of VIEWS) {
      const text = textsIn(view, lang);
      expect(sentences.filter((sentence) => text.includes(sentence))).toEqual([]);
      const durations = (text.match(/\b\d+ (?:seconds?|minutes?|hours?)\b/g) ?? []).map(
        (duration) => duration.replace(/\d+ /, ''),
      );
      expect(
        durations.filter((duration) => !units.some((unit) => unit.endsWith(duration))),
      ).toEqual([]);
    }
  });
});
