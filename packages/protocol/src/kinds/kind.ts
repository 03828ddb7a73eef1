import type { Chain, ChainFamily, Coin, PaymentStringFamily } from '../chains/chain.ts';
import { CHAINS, type ChainId } from '../chains/registry.ts';

export type { Chain, ChainFamily, PaymentStringFamily } from '../chains/chain.ts';
export {
  CHAINS,
  type ChainId,
  type EvmChainId,
  type KindName,
  type UtxoChainId,
} from '../chains/registry.ts';
export { DEVELOPMENT_CHAIN_IDS, TEST_CHAIN_IDS } from '../chains/chain-ids.ts';

/** A coin on a chain: a kind of the API (docs/interface.md, "Kinds"). */
export interface Kind {
  /** `ETH_USDT` */
  kind: string;
  chain: ChainId;
  /**
   * The kind that is credited: `BTC` for every bitcoin and lightning kind, otherwise the kind
   * itself.
   */
  asset: string;
  /** The name that buyers use: `Tether`. */
  name: string;
  /** `USDT` */
  symbol: string;
  /** The chain's name that buyers and exchanges use: `Ethereum (ERC20)`. */
  network: string;
  decimals: number;
  /**
   * Contract, mint, jetton master or asset id on the main network; null for a chain's own coin, and
   * for a token whose contract is unknown.
   */
  contract: string | null;
  /** The contract on the test network, where it differs. */
  testContract: string | null;
  /** Not a chain's own coin. */
  token: boolean;
  paymentString: PaymentStringFamily;
  /** Depth at which a payment is final on its chain ("complete"); its own block counts as one. */
  finalConfirmations: number;
  /** Keeps the price of the US dollar: invoiced with the profile's `stablecoin_precision`. */
  stablecoin: boolean;
}

/** Symbols of coins that keep the price of the US dollar; another price of them is refused. */
const STABLECOINS: readonly string[] = [
  'USDT',
  'USDC',
  'USDC.e',
  'TUSD',
  'PAX',
  'GUSD',
  'DAI',
  'BUSD',
  'USD1',
  'cUSD',
  'L-USDT',
];

/** Every kind that an invoice can have. Pickers sort them by `byPopularity`. */
export const KINDS: readonly Kind[] = /* @__PURE__ */ Object.values(CHAINS).flatMap((chain) =>
  Object.entries(chain.coins).map(([kind, coin]) => kindFrom(kind, coin, chain)),
);

/** Kinds of payouts only. The first is also accepted in a profile's currencies. */
export const PAYOUT_ONLY_KINDS: readonly string[] = [
  'BTC_LIGHTNING_TO_BTC',
  'BTC_LIGHTNING_TO_LIGHTNING',
];

/**
 * Finds a kind by its exact name: `cbBTC-BASE` is not `CBBTC-BASE`.
 * @example kindOf('USDT-TRX')?.network // 'TRON (TRC20)'
 */
export function kindOf(kind: string): Kind | undefined {
  return KINDS.find((candidate) => candidate.kind === kind);
}

/**
 * The decimals of an invoiced amount: at most 8, because exchanges and wallets round there; for
 * stablecoins the profile's precision; never more than the coin has.
 */
export function invoiceDecimals(kind: Kind, stablecoinPrecision = 2): number {
  return Math.min(kind.decimals, kind.stablecoin ? stablecoinPrecision : 8);
}

function kindFrom(
  kind: string,
  [name, symbol, decimals, contract, more = {}]: Coin,
  chain: Chain<ChainId>,
): Kind {
  const token = more.token ?? contract !== undefined;
  return {
    kind,
    chain: chain.id,
    asset: chain.asset ?? kind,
    name,
    symbol,
    network: chain.name,
    decimals,
    contract: contract ?? null,
    testContract: more.testContract ?? null,
    token,
    paymentString: more.paymentString ?? paymentStringFamily(chain.family, token),
    finalConfirmations: chain.finalConfirmations,
    stablecoin: STABLECOINS.includes(symbol),
  };
}

function paymentStringFamily(family: ChainFamily, token: boolean): PaymentStringFamily {
  if (family === 'utxo') return 'bip21';
  if (family === 'evm') return token ? 'evm_token' : 'evm';
  if (family === 'tron') return token ? 'tron_token' : 'tron';
  return family;
}
