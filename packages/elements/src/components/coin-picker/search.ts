import type { CheckoutCoin } from '@crypto-checkout/protocol/checkout';
import { type LitElement, type TemplateResult, html } from 'lit';
import { msg, str } from '../../i18n/locale.ts';

/**
 * Other names of coins: former names, nicknames, and names in scripts in which Latin letters are
 * hard to type.
 */
const ALIASES: readonly (readonly [coin: RegExp, names: string])[] = [
  [
    /^BTC/,
    'xbt sats ビットコイン 比特币 比特幣 비트코인 биткоин биткойн біткоїн بيتكوين बिटकॉइन บิตคอยน์',
  ],
  [/^ETH(-|$)/, 'ethereum イーサリアム 以太坊 이더리움 эфириум ефіріум إيثيريوم एथेरियम'],
  [/USDT/, 'テザー 泰达币 泰達幣 테더 تيثر टेदर'],
  [/USDC(?!E)/, 'circle'],
  [/USDCE/, 'usdc bridged'],
  [/USD|DAI|PAX/, 'usd dollar stablecoin stable coin'],
  [/^XRP$/, 'ripple xrpl'],
  [/^POL$|POLYGON/, 'matic'],
  [/^(GRAM|TON)$/, 'toncoin telegram'],
  [/^TRX$|-TRX$/, 'tron'],
  [/^(BNB|WBNB|BUSD)$|-BSC$/, 'binance bsc bep20 bnb smart chain'],
  [/-BASE$/, 'coinbase'],
];

/** Coins that buyers ask for. Each name is followed by the words that also mean it. */
const KNOWN = [
  'Bitcoin btc',
  'Ethereum eth ether',
  'Tether usdt',
  'USD Coin usdc',
  'Litecoin ltc',
  'Dogecoin doge',
  'XRP ripple',
  'Solana sol',
  'TRON trx',
  'Toncoin ton',
  'BNB binance',
  'Polygon pol matic',
  'Monero xmr',
  'Avalanche avax',
  'Cardano ada',
  'Polkadot dot',
  'Bitcoin Cash bch',
  'Ethereum Classic etc',
  'Zcash zec',
  'Dash',
  'Stellar xlm lumens',
  'Cosmos atom',
  'Chainlink link',
  'NEAR',
  'Sui',
  'Aptos apt',
  'Algorand algo',
  'Tezos xtz',
  'Hedera hbar',
  'Kaspa kas',
  'Nano xno',
  'Pepe',
].map((line) => /^(.*?)((?: [a-z]+)*)$/.exec(line)!.slice(1) as [name: string, others: string]);

/** Shortest word in which one mistake is overlooked. */
const LONG_WORD = 5;
/** A word of a script that separates its words. In others a search may begin anywhere. */
const LATIN = /^[\p{Script=Latin}\p{N}]+$/u;
/** Letters at the beginning that must be right. */
const SURE = 1;

/**
 * Whether each word of the query begins a word of the coin's names, or nearly does: "eth" is not in
 * "Tether". In scripts without spaces it may be anywhere.
 */
export function matchesSearch(
  { name, symbol, network, kind }: CheckoutCoin,
  wanted: string,
): boolean {
  const others = ALIASES.filter(([coin]) => coin.test(kind)).map(([, names]) => names);
  const text = [name, symbol, network, kind, ...others].join(' ');
  // People also write "lite coin" and "TRC-20".
  const apart = text.replaceAll(/coin\b/gi, ' coin').replaceAll(/([a-z])(\d)/gi, '$1 $2');
  const words = wordsOf(`${text} ${apart}`);
  // People also write "USDT on TRON".
  const query = wordsOf(wanted.replace(/(\S\s+)on\s/gi, '$1'));
  return query.every((word) =>
    words.some(
      (other) =>
        other.startsWith(word) ||
        (!LATIN.test(word) && other.includes(word)) ||
        (word.length >= LONG_WORD && isNear(word, other)),
    ),
  );
}

/**
 * The coins in the order of a search: first those of exactly this name, symbol or kind, then a
 * chain's own coins, then its tokens, then those that it does not find.
 */
export function ranked(coins: readonly CheckoutCoin[], wanted: string): readonly CheckoutCoin[] {
  const query = wordsOf(wanted).join(' ');
  if (!query) return coins;
  const rank = (coin: CheckoutCoin): number => {
    if (!matchesSearch(coin, wanted)) return 3;
    const { name, symbol, kind, gas } = coin;
    if ([name, symbol, kind].some((one) => wordsOf(one).join(' ') === query)) return 0;
    return gas === null ? 1 : 2;
  };
  const ranks = new Map(coins.map((coin) => [coin, rank(coin)]));
  return [0, 1, 2, 3].flatMap((tier) => coins.filter((coin) => ranks.get(coin) === tier));
}

/** Checks the buyer's choice again once the rows are drawn anew. */
export async function keepChoice({ renderRoot, updateComplete }: LitElement): Promise<void> {
  const radio = (which: string): HTMLInputElement | null =>
    renderRoot.querySelector(`[type=radio]${which}`);
  const chosen = radio(':checked:not([checked])')?.value;
  if (chosen === undefined) return;
  await updateComplete;
  const again = radio(`[value="${chosen}"]`);
  if (!again) return;
  again.checked = true;
  // It may be in a collapsed list, inside another one.
  for (let list = again.closest('details'); list; list = list.parentElement!.closest('details'))
    list.open = true;
}

/** The reason why nothing is found: another coin, or no coin at all. */
export function missText(wanted: string): string {
  const query = wanted.trim();
  const coin = coinMeant(query);
  return coin
    ? msg(str`This shop doesn’t accept ${coin}.`, { id: 'search.unknown' })
    : msg(str`No coins match “${query}”.`, { id: 'search.miss' });
}

/** Draws that reason, and the way back to all coins. */
export const drawMiss = (wanted: string): TemplateResult =>
  html`<div class="row" part="asset">
    <p>${missText(wanted)}</p>
    <button part="clear-button" type="button" @click=${clear}>
      ${msg('Clear search', { id: 'search.clear' })}
    </button>
  </div>`;

/** Empties the field of the search, as its reader would. */
function clear({ target }: Event): void {
  const root = (target as Element).getRootNode() as ShadowRoot;
  const field = root.querySelector<HTMLInputElement>('[type=search]')!;
  field.value = '';
  field.focus();
  field.dispatchEvent(new Event('input'));
}

/** The name of the well-known coin that a query without a result means. */
function coinMeant(wanted: string): string | undefined {
  const query = wordsOf(wanted).join(' ');
  return KNOWN.find(
    ([name, others]) =>
      normalized(name) === query ||
      others.split(' ').includes(query) ||
      (query.length >= LONG_WORD && isNear(query, normalized(name))),
  )?.[0];
}

/** Normalizes letter width and case. */
const normalized = (text: string): string => text.normalize('NFKC').toLowerCase();
const wordsOf = (text: string): string[] =>
  normalized(text)
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter(Boolean);

/** Whether a word begins another one, with one letter wrong, missing, added, or two swapped. */
function isNear(word: string, other: string): boolean {
  let same = 0;
  while (same < word.length && word[same] === other[same]) same += 1;
  const [typed, meant] = [word.slice(same), other.slice(same)];
  return (
    same >= SURE &&
    [
      [meant.slice(1), typed.slice(1)],
      [meant, typed.slice(1)],
      [meant.slice(1), typed],
      [meant, `${typed[1]}${typed[0]}${typed.slice(2)}`],
    ].some(([rest, start]) => rest!.startsWith(start!))
  );
}
