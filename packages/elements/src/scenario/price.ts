import {
  type Amount,
  divide,
  formatAmount,
  multiply,
  parseAmount,
  roundUp,
} from '@crypto-checkout/protocol/amount';
import type { CheckoutCoin } from '@crypto-checkout/protocol/checkout';
import { gasOf } from '@crypto-checkout/protocol/gas';
import {
  CHAINS,
  type ChainFamily,
  type Kind,
  invoiceDecimals,
  kindOf,
} from '@crypto-checkout/protocol/kind';

/** US dollars per coin; stablecoins that are not listed are worth one dollar. */
export const DOLLARS: Readonly<Record<string, string>> = {
  BTC: '61427.48',
  'L-BTC': '61427.48',
  ETH: '2701.33',
  XRP: '2.3155',
  SOL: '151.2',
  LTC: '88.4',
  DOGE: '0.1603',
  TRX: '0.312',
  GRAM: '3.12',
  POL: '0.21',
  BNB: '890.5',
  CELO: '0.31',
  SHIB: '0.0000118',
  cbBTC: '61390.5',
  WBNB: '890.5',
  WSOL: '151.2',
  BONK: '0.0000113',
  TRUMP: '7.02',
  JAMBO: '0.051',
  SAND: '0.203',
  SHFL: '0.31',
  NOT: '0.00071',
  USDT: '1.0004',
};

/** The price of one coin in a currency of which a dollar is worth `perDollar`. */
export const rateOf = ({ symbol }: Kind, perDollar = '1'): Amount =>
  multiply(parseAmount(DOLLARS[symbol] ?? '1'), parseAmount(perDollar), 'up');

/** Converts an amount to a coin, rounded as invoices are. */
export const inCoin = (kind: Kind, amount: string, perDollar?: string): Amount =>
  roundUp(divide(parseAmount(amount), rateOf(kind, perDollar), 'up'), invoiceDecimals(kind));

/** Confirmations until it is paid, as a careful shop would set them. */
export const confirmationsNeeded = ({ finalConfirmations }: Kind): number =>
  Math.min(2, finalConfirmations);

/** Usual number of seconds until it is paid. */
export function usualSeconds(kind: Kind): number {
  return kind.chain === 'lightning'
    ? 0
    : Math.ceil(confirmationsNeeded(kind) * CHAINS[kind.chain].blockSeconds);
}

/** Plausible network fees in US dollars by family: of the chain's coin and of a token. */
const FEES: Readonly<Record<ChainFamily, readonly [string, string]>> = {
  evm: ['0.46', '1.4'],
  lightning: ['0.01', '0.01'],
  liquid: ['0.05', '0.05'],
  solana: ['0.0008', '0.0008'],
  ton: ['0.02', '0.16'],
  tron: ['0.35', '4.3'],
  utxo: ['1.3', '1.3'],
  xrp: ['0.0001', '0.0001'],
};

/** Of Ethereum's family, only Ethereum itself takes more than cents. */
function usualFee({ chain, token }: Kind): string {
  const { family } = CHAINS[chain];
  return family === 'evm' && chain !== 'ethereum' ? '0.01' : FEES[family][token ? 1 : 0];
}

/** A coin to choose, as the server offers it. */
export function coinOf(
  name: string,
  price: { amount: string } | null,
  perDollar?: string,
): CheckoutCoin {
  const kind = kindOf(name);
  if (!kind) throw new Error(`there is no kind ${name}`);
  return {
    kind: kind.kind,
    name: kind.name,
    network: kind.network,
    symbol: kind.symbol,
    approx: price && formatAmount(inCoin(kind, price.amount, perDollar)),
    fee_usd: usualFee(kind),
    seconds: usualSeconds(kind),
    gas: gasOf(kind),
  };
}
