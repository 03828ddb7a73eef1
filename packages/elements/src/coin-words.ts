import type { CheckoutCoin } from '@crypto-checkout/protocol/checkout';
import { type TemplateResult, html, nothing } from 'lit';
import { msg, str } from './locale.ts';
import type { Words } from './stage.ts';

/** How the stage is told in which a coin is chosen. */
export const wordsOfChoice = (): Words => ({
  title: msg('Choose how to pay', { id: 'choose.title' }),
  text: msg('The exact amount comes next.', { id: 'choose.text' }),
});

/** What people also call a coin, by its symbol: the name from before, and the names in scripts in which Latin letters are hard to type. */
const ALSO: Readonly<Record<string, string>> = {
  GRAM: 'toncoin',
  BTC: 'ビットコイン 比特币 比特幣 비트코인 биткоин биткойн біткоїн بيتكوين बिटकॉइन บิตคอยน์',
  ETH: 'イーサリアム 以太坊 이더리움 эфириум ефіріум إيثيريوم एथेरियम',
  USDT: 'テザー 泰达币 泰達幣 테더 تيثر टेदर',
};
/** From so many letters on, a word is also found where one letter is missing in it: below, it would be found everywhere. */
const LONG_WORD = 5;

/** Whether a coin is among the ones that the buyer searches for: every word is in its names. */
export function fits({ name, symbol, network, kind }: CheckoutCoin, wanted: string): boolean {
  const text = plain(`${name} ${symbol} ${network} ${kind} ${ALSO[symbol] ?? ''}`);
  return plain(wanted)
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .every((word) => text.includes(word) || (word.length >= LONG_WORD && lacksOne(word, text)));
}

/** Letters of one width and one case. */
const plain = (text: string): string => text.normalize('NFKC').toLowerCase();

/** `dogcoin` is `dogecoin`. Words hold letters and digits only. */
const lacksOne = (word: string, text: string): boolean =>
  Array.from(word, (_, at) => `${word.slice(0, at)}.${word.slice(at)}`).some((gap, at) => at > 0 && new RegExp(gap).test(text));

/** How long a coin usually takes, and which other coin a wallet needs besides it; the latter is shown once the coin is picked. */
export const drawUsual = ({ usual_seconds, gas }: CheckoutCoin, language: string): TemplateResult =>
  html`${usual_seconds ? msg(str`Usually ${formatDuration(usual_seconds, language)}`, { id: 'coin.time' }) : nothing}${
    gas
      ? html`<span part="gas"><br />${msg(str`Your wallet also needs a little ${gas} for the network fee.`, { id: 'coin.gas' })}</span>`
      : nothing
  }`;

/**
 * About how long, in the language's own words: what `duration` in `after/time.ts` says. A third file for both would be one more to wait
 * for before a coin can be chosen; a test holds them together.
 */
export function formatDuration(seconds: number, language: string): string {
  const [value, unit]: [number, string] =
    seconds < 60 ? [seconds, 'second'] : seconds < 7200 ? [seconds / 60, 'minute'] : [seconds / 3600, 'hour'];
  return new Intl.NumberFormat(`${language}-u-nu-latn`, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 0 }).format(
    value,
  );
}
