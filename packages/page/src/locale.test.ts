import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  allLocales,
  sourceLocale,
  targetLocales,
} from '@crypto-checkout/elements/generated/locale-codes';
import { directionOf, inLocale, msg, pickLocale } from '@crypto-checkout/elements/locale';
import { formatMoney, formatPrice } from '@crypto-checkout/elements/number';
import { timeLeftText } from '@crypto-checkout/elements/status';
import { describe, expect, it } from 'vitest';
import { acceptedLanguages, chooseLocale } from './locale.ts';
import { hardCoded } from '../test/support/untranslated-texts.ts';

const elements = fileURLToPath(new URL('../../elements/', import.meta.url));
const files = readdirSync(`${elements}src`, { recursive: true, encoding: 'utf8' })
  .filter(
    (file) =>
      file.endsWith('.ts') && !file.endsWith('.test.ts') && !/^(generated|scenario)/.test(file),
  )
  .map((file) => ({ file, source: readFileSync(`${elements}src/${file}`, 'utf8') }));
const sources = files.map(({ source }) => source).join('\n');
const ids = new Set([...sources.matchAll(/\bid: '([a-z_.]+)',?\s*\}/g)].map(([, id]) => id));
const unitsOf = (locale: string): { id: string; source: string; target: string }[] =>
  [
    ...readFileSync(`${elements}xliff/${locale}.xlf`, 'utf8').matchAll(
      /<trans-unit id="([^"]+)">(.*?)<\/trans-unit>/gs,
    ),
  ].map(([, id = '', body = '']) => ({
    id,
    source: /<source>(.*?)<\/source>/s.exec(body)?.[1] ?? '',
    target: /<target>(.*?)<\/target>/s.exec(body)?.[1] ?? '',
  }));

/** Languages in other scripts than Latin. */
const SCRIPTS: Record<string, RegExp> = {
  ar: /\p{Script=Arabic}/u,
  bn: /\p{Script=Bengali}/u,
  el: /\p{Script=Greek}/u,
  fa: /\p{Script=Arabic}/u,
  he: /\p{Script=Hebrew}/u,
  hi: /\p{Script=Devanagari}/u,
  ja: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
  ko: /\p{Script=Hangul}/u,
  ru: /\p{Script=Cyrillic}/u,
  th: /\p{Script=Thai}/u,
  uk: /\p{Script=Cyrillic}/u,
  ur: /\p{Script=Arabic}/u,
  'zh-Hans': /\p{Script=Han}/u,
  'zh-Hant': /\p{Script=Han}/u,
};

it('there are thirty languages besides English, of every kind of script', () => {
  expect(targetLocales.length).toBe(30);
  expect(
    Object.keys(SCRIPTS).filter((locale) => !(allLocales as readonly string[]).includes(locale)),
  ).toEqual([]);
});

describe.each(targetLocales)('the texts in %s', (locale) => {
  const units = unitsOf(locale);

  it('are all there, and no others', () => {
    expect(new Set(units.map(({ id }) => id))).toEqual(ids);
    expect(units.filter(({ target }) => !target.trim())).toEqual([]);
  });

  it('are what the generated files say, each text in one of them', () => {
    const [first, statusModule] = ['first', 'later'].map((part) =>
      readFileSync(`${elements}src/generated/${part}/${locale}.ts`, 'utf8'),
    );
    for (const { id, target } of units) {
      const [one, other] = first!.includes(`'${id}':`)
        ? [first, statusModule]
        : [statusModule, first];
      expect(one).toContain(`'${id}':`);
      expect(other).not.toContain(`'${id}':`);
      for (const words of target.split(/<x [^>]*\/>/))
        expect(one).toContain(words.replaceAll('&amp;', '&').trim());
    }
  });

  it('are a translation, in the language’s own script', () => {
    const few = units.length / 20;
    const same = units.filter(({ source, target }) => source === target);
    expect(same.length, JSON.stringify(same)).toBeLessThanOrEqual(few);
    const own = SCRIPTS[locale];
    if (!own) return;
    const plain = units.map(({ id, target }) => ({ id, text: target.replace(/<x [^>]*\/>/g, '') }));
    const latin = plain.filter(({ text }) => /\p{Script=Latin}/u.test(text));
    expect(latin.length, JSON.stringify(latin)).toBeLessThanOrEqual(few);
    expect(plain.filter(({ text }) => !own.test(text))).toEqual([]);
  });

  it('keep every value, and set it apart where lines run from right to left', () => {
    for (const { id, source, target } of units) {
      const values = (text: string): string[] =>
        [...text.matchAll(/<x id="(\d+)"/g)].map(([, value]) => value ?? '').toSorted();
      expect(values(target), id).toEqual(values(source));
      const apart = [...target.matchAll(/\u2068<x [^>]*\/>\u2069/g)].length;
      if (directionOf(locale) === 'rtl') expect(apart, id).toBe(values(source).length);
    }
  });
});

/** Texts that are not for buyers, or the same in every language, as `file: text`. */
const NOT_TRANSLATED = [
  // For the shop's developer, in the console or an event.
  /^(?:advice\/(?:attribute|server|setup)-advice|sdk2\/(?:advice|sdk2))\.ts: /,
  /^frame\/frame\.ts: (?:no answer from the frame of|the page's policy has no frame-src) /,
  /^proof\/(?:payment|prove|verify)\.ts: /,
  /^tamper\/guard\.ts: (?:another script changed the payment details|crypto-checkout: …, so that they are hidden now)$/,
  /^styles\/theme\.ts: (?:.* could not be read with the other colours|, except on buttons$)/,
  // Search words for coins, in any language.
  /^components\/coin-picker\/search\.ts: /,
  /^wallet\/(?:ethereum|more-wallets|wallets)\.ts: (?:Cash App|Coinbase Wallet|Trust Wallet|Wallet of Satoshi)$/,
  // Plural forms that only Hebrew needs.
  /^i18n\/time\.ts: (?:he one (?:second|minute|hour)|[\p{Script=Hebrew} ]+)$/u,
  // Permissions of a frame, and a colour.
  /^(?:components\/onramp\/onramp|frame\/frame)\.ts: allow-scripts [a-z -]+$/,
  /^styles\/theme\.ts: color-mix\(in srgb, /,
];

describe('a text in the sources of the elements', () => {
  it.each([
    ['in the markup', 'html`<p>Hello buyer</p>`', ['Hello buyer']],
    ['in the markup, a word alone', 'html`<p>${x}<b> Paid</b></p>`', ['Paid']],
    [
      'in markup of its own',
      'html`<p>${a ? html`<i>Hello buyer</i>` : nothing}</p>`',
      ['Hello buyer'],
    ],
    ['around a value', 'html`<p>You owe ${x}</p>`', ['You owe …']],
    ['as a label', 'html`<button aria-label="Close it" class="big red">×</button>`', ['Close it']],
    ['as a title around a value', 'html`<a title="Look at ${x}">${y}</a>`', ['Look at …']],
    ['as a value', "html`<p>${'Hello buyer'}</p>`", ['Hello buyer']],
    ['as a value with a value', 'drawNote(`You still owe ${x}.`)', ['You still owe ….']],
    ['that is read aloud', "host.say(() => 'Hello buyer')", ['Hello buyer']],
    [
      'as a message',
      "html`<p title=${msg('Hello buyer', { id: 'a' })}>${msg(str`You owe ${x}`, { id: 'b' })}</p>`",
      [],
    ],
  ])('is found: %s', (_, source, texts) => expect(hardCoded(source)).toEqual(texts));

  it('is one for translators, wherever it may be read', () => {
    expect(files.length).toBeGreaterThan(60);
    const texts = files.flatMap(({ file, source }) =>
      hardCoded(source).map((text) => `${file.replaceAll('\\', '/')}: ${text}`),
    );
    expect(texts.filter((text) => !NOT_TRANSLATED.some((one) => one.test(text)))).toEqual([]);
    // An unused exception would hide the next mistake.
    expect(NOT_TRANSLATED.filter((one) => !texts.some((text) => one.test(text)))).toEqual([]);
  });
});

describe('the language of a page', () => {
  it('is the best one of Accept-Language', () => {
    expect(acceptedLanguages('de;q=0.5, ar-EG, en;q=0.9, xx;q=0, *')).toEqual([
      'ar-EG',
      'en',
      'de',
    ]);
    expect(chooseLocale(null, 'eo, ar;q=0.2')).toBe('ar');
    expect(chooseLocale(null, 'en, ar;q=0.2')).toBe('en');
    expect(chooseLocale('DE-at', 'ar')).toBe('de-AT');
    expect(chooseLocale(null, null)).toBe(sourceLocale);
    for (const british of ['en-GB', 'en_GB', 'EN-gb', 'en-GB-oxendict'])
      expect(pickLocale(british)).toBe('en-GB');
    expect(chooseLocale(null, 'en-AU, de')).toBe('en-AU');
    expect(chooseLocale(null, 'sw-KE, nb-NO;q=0.9')).toBe(sourceLocale);
    expect(chooseLocale(null, 'sw-KE, de-CH;q=0.9')).toBe('de-CH');
    // American English is the default, and a tag may have more than a region.
    expect(chooseLocale(null, 'en-US, de')).toBe(sourceLocale);
    for (const [tag, locale] of Object.entries({
      'en-US': 'en',
      'en-US-u-hc-h23': 'en',
      'sw-KE': 'en',
      'de-u-nu-latn': 'de',
      'ar-EG-u-nu-latn': 'ar-EG',
      'es-419': 'es-419',
      'de-1996': 'de',
      'de-CH-1996': 'de-CH',
      'es-Latn-MX': 'es-MX',
      'pt-br': 'pt-BR',
    }))
      expect(pickLocale(tag), tag).toBe(locale);
    expect(chooseLocale(null, 'en-GB, de')).toBe('en-GB');
    expect(chooseLocale('en_GB', 'fr')).toBe('en-GB');
    expect(allLocales.map((locale) => pickLocale(locale))).toEqual([...allLocales]);
    const chinese = {
      'zh-CN': 'zh-Hans-CN',
      'zh-TW': 'zh-Hant-TW',
      'zh-Hant-HK': 'zh-Hant-HK',
      'zh-Hans-SG': 'zh-Hans-SG',
      zh: 'zh-Hans',
    };
    for (const [tag, locale] of Object.entries(chinese)) expect(pickLocale(tag)).toBe(locale);
  });

  it('refuses to cover a promise', () => {
    // @ts-expect-error after an await the language would be another one's
    void inLocale('de', async () => Promise.resolve(''));
    expect(inLocale('de', () => 'x')).toBe('x');
  });

  it('writes prices as in the reader’s country, in the words of the language', () => {
    const price = { amount: '1249.50', currency: 'USD' };
    const written = (locale: string): string =>
      formatPrice(price, locale)
        .replaceAll(/[\u00a0\u202f]/g, ' ')
        .replaceAll('’', "'");
    expect(['en', 'en-GB', 'en-CA', 'es', 'es-MX', 'de', 'de-CH', 'hi-IN'].map(written)).toEqual([
      '$1,249.50',
      'US$1,249.50',
      'US$1,249.50',
      '1249,50 US$',
      'USD 1,249.50',
      '1.249,50 $',
      "$ 1'249.50",
      '$1,249.50',
    ]);
    expect(formatPrice({ ...price, currency: 'GBP' }, 'en-GB')).toBe('£1,249.50');
    expect(inLocale('en-GB', () => msg('Copy', { id: 'copy' }))).toBe('Copy');
    expect(inLocale('de-CH', () => msg('Copy', { id: 'copy' }))).toBe('Kopieren');
    expect(inLocale('zh-Hant-HK', () => msg('Copy', { id: 'copy' }))).toBe('複製');
    // Hebrew writes a single unit in words, whatever the country.
    expect(inLocale('he-IL', () => timeLeftText(60, 'he-IL'))).toContain('דקה אחת');
  });

  it('writes money exactly, with the digits 0 to 9 in every language', () => {
    expect(formatMoney('1234567890123.123456789', 'en')).toBe('1,234,567,890,123.123456789');
    expect(formatMoney('1249.00', 'de')).toBe('1.249,00');
    for (const locale of allLocales) expect(formatMoney('49.90', locale)).toMatch(/^49[.,]90$/);
    expect(formatMoney('no amount', 'en')).toBe('no amount');
  });
});
