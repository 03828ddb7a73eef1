import type { CheckoutCoin } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { msg, str } from '../../i18n/locale.ts';
import type { StageTexts } from '../../core/panel.ts';

/** Heading and sentence of the stage `choose`. */
export const chooseTexts = (): StageTexts => ({
  title: msg('Choose how to pay', { id: 'choose.title' }),
  text: msg('The exact amount comes next.', { id: 'choose.text' }),
});

/**
 * Other names of coins for the search: former names, and names in scripts in which Latin letters
 * are hard to type.
 */
const ALIASES: Readonly<Record<string, string>> = {
  GRAM: 'toncoin',
  BTC: 'ビットコイン 比特币 比特幣 비트코인 биткоин биткойн біткоїн بيتكوين बिटकॉइन บิตคอยน์',
  ETH: 'イーサリアム 以太坊 이더리움 эфириум ефіріум إيثيريوم एथेरियम',
  USDT: 'テザー 泰达币 泰達幣 테더 تيثر टेदर',
};
/** Shortest word that also matches with one letter missing. */
const LONG_WORD = 5;

/** Whether each word of the query is in a name of the coin. */
export function matchesSearch(
  { name, symbol, network, kind }: CheckoutCoin,
  wanted: string,
): boolean {
  const text = normalized(`${name} ${symbol} ${network} ${kind} ${ALIASES[symbol] ?? ''}`);
  return normalized(wanted)
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .every(
      (word) => text.includes(word) || (word.length >= LONG_WORD && missesOneLetter(word, text)),
    );
}

/** Normalizes letter width and case. */
const normalized = (text: string): string => text.normalize('NFKC').toLowerCase();

/** `dogcoin` matches `dogecoin`. Words contain letters and digits only. */
const missesOneLetter = (word: string, text: string): boolean =>
  Array.from(word, (_, at) => `${word.slice(0, at)}.${word.slice(at)}`).some(
    (gap, at) => at > 0 && new RegExp(gap).test(text),
  );

/**
 * Draws the usual duration, and the coin that a wallet also needs for the network fee, which is
 * shown once the coin is picked.
 */
export const drawUsual = ({ seconds, gas }: CheckoutCoin, language: string): TemplateResult =>
  html`${seconds ? msg(str`Usually ${formatDuration(seconds, language)}`, { id: 'coin.time' }) : nothing}${
    gas
      ? html`<span part="gas"
          ><br />${msg(str`Your wallet also needs a little ${gas} for the network fee.`, { id: 'coin.gas' })}</span
        >`
      : nothing
  }`;

/**
 * Formats a duration. Same as `formatDuration` in `i18n/time.ts`: sharing it would create another
 * file to wait for before a coin can be chosen. A test compares both.
 */
export function formatDuration(seconds: number, language: string): string {
  const [value, unit]: [number, string] =
    seconds < 60
      ? [seconds, 'second']
      : seconds < 7200
        ? [seconds / 60, 'minute']
        : [seconds / 3600, 'hour'];
  return new Intl.NumberFormat(`${language}-u-nu-latn`, {
    style: 'unit',
    unit,
    unitDisplay: 'long',
    maximumFractionDigits: 0,
  }).format(value);
}
