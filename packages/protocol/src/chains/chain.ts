/** Chains of one family share address formats and transaction formats. */
export type ChainFamily =
  | 'utxo'
  | 'evm'
  | 'tron'
  | 'solana'
  | 'ton'
  | 'xrp'
  | 'lightning'
  | 'liquid';

/** The form of payment links and QR codes. */
export type PaymentStringFamily =
  | 'bip21'
  | 'lightning'
  | 'lnurl'
  | 'evm'
  | 'evm_token'
  | 'solana'
  | 'ton'
  | 'xrp'
  | 'tron'
  | 'tron_token'
  | 'liquid';

/** The facts of a chain that every reader needs. */
export interface Chain<Id extends string = string> {
  id: Id;
  /** The name that buyers and exchanges use: `Ethereum (ERC20)`. */
  name: string;
  family: ChainFamily;
  /** URI scheme of BIP21 links. */
  scheme?: string;
  /** EIP-155 chain id. */
  evmChainId?: number;
  testEvmChainId?: number;
  /** Whether payments are visible before they are in a block. */
  mempool: boolean;
  /** The chain whose wallet is credited: lightning payments credit the bitcoin wallet. */
  walletChain: Id;
  /** The kind that its coins are credited as. Default: each coin itself. */
  asset?: string;
  /** Chains with the same group share receiving keys and their numbering. */
  keyGroup: string;
  /** Usual time between two blocks. */
  blockSeconds: number;
  /** Depth at which a payment is final; its own block counts as one. */
  finalConfirmations: number;
  coins: Coins;
}

/**
 * A coin on a chain: name (`Tether`), symbol (`USDT`), decimals, and for tokens the contract, mint,
 * jetton master or asset id on the main network. A contract of null is unknown: the token is
 * disabled until an operator sets it. A row instead of an object, because the browser loads this
 * table.
 */
export type Coin = readonly [
  name: string,
  symbol: string,
  decimals: number,
  contract?: string | null | undefined,
  more?: CoinOptions,
];

interface CoinOptions {
  /** The contract on the test network, where it differs. */
  testContract?: string;
  /** Default: true with a contract. */
  token?: boolean;
  /** Default: by the chain's family. */
  paymentString?: PaymentStringFamily;
}

/**
 * A chain's coins by kind (`USDT-TRX`). Pickers use the order for kinds that `kinds/popularity.ts`
 * does not rank.
 */
export type Coins = Readonly<Record<string, Coin>>;

/** A chain as its file states it, without the defaults. */
type ChainDefinition<Id extends string, Wallet extends string, C extends Coins> = Omit<
  Chain,
  'id' | 'mempool' | 'walletChain' | 'keyGroup' | 'coins'
> &
  Partial<Pick<Chain, 'mempool' | 'keyGroup'>> & { id: Id; walletChain?: Wallet; coins: C };

/** A chain whose type keeps the names of its kinds; `Coins` alone would allow any name. */
type DefinedChain<Id extends string, Family, C, Wallet extends string> = Omit<
  Chain<Id | Wallet>,
  'id' | 'family' | 'coins'
> & { id: Id; family: Family; coins: C };

/**
 * Adds the defaults: payments are not visible before they are in a block, and the chain has its own
 * wallet and keys. EVM chains share one group of keys.
 */
export function defineChain<
  const Id extends string,
  const Family extends ChainFamily,
  const C extends Coins,
  const Wallet extends string = Id,
>(
  definition: ChainDefinition<Id, Wallet, C> & { family: Family },
): DefinedChain<Id, Family, C, Wallet> {
  const { id, family } = definition;
  return {
    mempool: false,
    walletChain: id,
    keyGroup: family === 'evm' ? family : id,
    ...definition,
  };
}

/** The facts of a chain for servers; browsers load none of them. */
export interface ChainDetails<Kind extends string = string> {
  /** A block explorer's transaction page on the main network, without the transaction's id. */
  explorer: string | null;
  /** Dust limit: nodes do not relay smaller outputs. Null: every amount is relayed. */
  dust: string | null;
  /** Highest accepted network fee in satoshi per byte; null where fees are not paid by size. */
  maxFeeRate: number | null;
  /** Fees of the sandbox in satoshi per byte; null where fees are not paid by size. */
  sandboxFeeRates: Readonly<Record<'high' | 'normal' | 'economy', number>> | null;
  /**
   * On a main network: depth at which a payment counts where neither invoice nor profile states
   * one. Large payments wait for the final depth.
   */
  confirmations: number;
  /**
   * The use of the chain's own finalized block (`eth_getBlockByNumber` with `finalized`). `funds`:
   * on a main network, a payment can be paid out only from that block on. `earlier`: as `funds`,
   * and a payment is also complete there, when that is before its final depth. Null: depth alone
   * counts.
   */
  finalizedBlock: 'funds' | 'earlier' | null;
  /** Addresses and keys; UTXO chains only. */
  utxo?: UtxoParameters;
  /**
   * Usual minimum withdrawal of exchanges, in the coin, as of 2026-11. A rough guide from the
   * figures that large exchanges publish: it only ever causes a warning. A coin without an entry
   * has no warning.
   */
  minimumWithdrawals: Readonly<Partial<Record<Kind, string>>>;
  /** Prices by symbol. A symbol on several chains stands in the file of its main chain. */
  markets: Readonly<Record<string, Market>>;
}

/** From the project's `chainparams.cpp` and SLIP-44. */
export interface UtxoParameters {
  /** SLIP-44 coin type of the main network; test networks use 1. */
  coinType: number;
  /** The form of the addresses given out: native segwit (BIP84), or plain key hashes (BIP44). */
  addressFormat: 'bech32' | 'p2pkh';
  mainnet: AddressVersions;
  /** The public test networks. */
  testnet: AddressVersions;
  /** A private chain that mines on demand. */
  regtest: AddressVersions;
}

export interface AddressVersions {
  /** Prefix of segwit addresses (BIP173); null on a chain without segwit. */
  bech32: string | null;
  pubKeyHash: number;
  scriptHash: number;
  wif: number;
}

/** The price of a symbol: its name at each public source, and its price in the sandbox. */
export interface Market {
  /** US dollars per coin in the sandbox: plausible, and the same on every machine. */
  sandboxUsd: string;
  /** A symbol without a market that is redeemed one to one for this one. */
  sameAs?: string;
  /** Pairs against USDT. */
  binance?: readonly string[];
  /** Pair against USD. Bitfinex calls USDT "UST" and USDC "UDC". */
  bitfinex?: string;
  /** Pair against USD. */
  bitstamp?: string;
  coinbase?: string;
  /** CoinGecko's id. Small tokens have no other source. */
  coingecko?: string;
  /** Key in Kraken's answers, which differs from the name in requests: XXBT is BTC, XDG is DOGE. */
  kraken?: string;
}
