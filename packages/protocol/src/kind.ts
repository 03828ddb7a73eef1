/** A coin on a chain, the specification's `kind` (§2.1). Names, decimals, contracts and depths are data: this table. */
export interface Kind {
  /** `ETH_USDT`. */
  kind: string;
  chain: ChainId;
  /** The canonical kind of what is received: `BTC` for every bitcoin and lightning kind, otherwise the kind itself. */
  asset: string;
  /** What buyers call the coin: `Tether`. */
  name: string;
  /** `USDT`. */
  symbol: string;
  /** What buyers and exchanges call the network: `Ethereum (ERC20)`. */
  network: string;
  decimals: number;
  /** Contract, mint, jetton master or asset id on the main network; null for a chain's own coin and for a token that is not known yet. */
  contract: string | null;
  /** The same on the test network, where it is known to be another. */
  testContract: string | null;
  /** Not a chain's own coin. */
  token: boolean;
  /** Which row of the payment-string table applies. */
  paymentString: PaymentStringFamily;
  /** Depth at which a payment is final on its chain ("complete"); its own block counts as one. */
  finalConfirmations: number;
  /** Keeps to a fiat currency's price: invoiced with the profile's `stablecoin_precision`. */
  stablecoin: boolean;
}

export type ChainId =
  | 'bitcoin'
  | 'litecoin'
  | 'dogecoin'
  | 'liquid'
  | 'xrp'
  | 'ton'
  | 'solana'
  | 'ethereum'
  | 'base'
  | 'arbitrum'
  | 'polygon'
  | 'bsc'
  | 'celo'
  | 'tron'
  | 'lightning';

export type ChainFamily = 'utxo' | 'evm' | 'tron' | 'solana' | 'ton' | 'xrp' | 'lightning' | 'liquid';

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

export interface Chain {
  id: ChainId;
  /** As buyers and exchanges call it. */
  name: string;
  family: ChainFamily;
  /** Scheme of BIP21 addresses. */
  scheme?: string;
  evmChainId?: number;
  testEvmChainId?: number;
  /** Whether payments can be seen before they are in a block. */
  mempool: boolean;
  /** The chain whose wallet is credited: lightning pays into the bitcoin wallet. */
  walletChain: ChainId;
  /** Chains with the same group share receiving keys and their numbering. */
  keyGroup: string;
  blockSeconds: number;
  finalConfirmations: number;
}

/** Final depths are a choice (decisions, "Final depth"); solana's 32 slots are its `finalized`, lightning is final at once. */
export const CHAINS: Readonly<Record<ChainId, Chain>> = {
  bitcoin: chain('bitcoin', 'Bitcoin', 'utxo', 600, 6, { mempool: true, scheme: 'bitcoin' }),
  lightning: chain('lightning', 'Lightning', 'lightning', 1, 1, { walletChain: 'bitcoin' }),
  litecoin: chain('litecoin', 'Litecoin', 'utxo', 150, 6, { mempool: true, scheme: 'litecoin' }),
  dogecoin: chain('dogecoin', 'Dogecoin', 'utxo', 60, 6, { mempool: true, scheme: 'dogecoin' }),
  liquid: chain('liquid', 'Liquid', 'liquid', 60, 6, { mempool: true, scheme: 'liquidnetwork' }),
  xrp: chain('xrp', 'XRP Ledger', 'xrp', 4, 1, {}),
  ton: chain('ton', 'TON', 'ton', 5, 1, {}),
  solana: chain('solana', 'Solana', 'solana', 0.4, 32, {}),
  ethereum: evm('ethereum', 'Ethereum (ERC20)', 12, 12, 1, 11155111, true),
  base: evm('base', 'Base', 2, 12, 8453, 84532),
  arbitrum: evm('arbitrum', 'Arbitrum One', 0.25, 40, 42161, 421614),
  polygon: evm('polygon', 'Polygon', 2, 20, 137, 80002),
  bsc: evm('bsc', 'BNB Smart Chain (BEP20)', 0.45, 30, 56, 97),
  celo: evm('celo', 'Celo', 1, 12, 42220, 11142220),
  tron: chain('tron', 'TRON (TRC20)', 'tron', 3, 20, {}),
};

type Row = readonly [kind: string, name: string, symbol: string, decimals: number, contract?: string | null, testContract?: string];

const ROWS: Readonly<Record<ChainId, readonly Row[]>> = {
  bitcoin: [
    ['BTC', 'Bitcoin', 'BTC', 8],
    ['BTC_P2SH', 'Bitcoin', 'BTC', 8],
    ['BTC_BECH32', 'Bitcoin', 'BTC', 8],
  ],
  lightning: [
    ['BTC_LIGHTNING', 'Bitcoin', 'BTC', 8],
    ['BTC_LIGHTNING_LNURL', 'Bitcoin', 'BTC', 8],
    ['BTC_LIGHTNING_TO_LIGHTNING', 'Bitcoin', 'BTC', 8],
  ],
  litecoin: [['LTC', 'Litecoin', 'LTC', 8]],
  dogecoin: [['DOGE', 'Dogecoin', 'DOGE', 8]],
  liquid: [
    [
      'L-BTC',
      'Liquid Bitcoin',
      'L-BTC',
      8,
      '6f0279e9ed041c3d710a9f57d0c02928416460c4b722ae3457a11eec381c526d',
      '144c654344aa716d6f3abcc1ca90e5641e4e2a7f633bc09fe3baf64585819a49',
    ],
    [
      'L-USDT',
      'Tether',
      'L-USDT',
      8,
      'ce091c998b83c78bb71a632313ba3760f1763d9cfcffae02258ffa9865a37bd2',
      'b612eb46313a2cd6ebabd8b7a8eed5696e29898b87a43bff41c94f51acef9d73',
    ],
  ],
  xrp: [['XRP', 'XRP', 'XRP', 6]],
  ton: [
    // Exchanges renamed the coin Gram in 2026; the kind stays TON.
    ['TON', 'Gram', 'GRAM', 9],
    ['USDT-TON', 'Tether', 'USDT', 6, 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'],
    ['NOT-TON', 'Notcoin', 'NOT', 9, 'EQAvlWFDxGF2lXm67y4yzC17wYKD9A0guwPkMs1gOsM__NOT'],
  ],
  solana: [
    ['SOL', 'Solana', 'SOL', 9],
    ['USDT-SOL', 'Tether', 'USDT', 6, 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'],
    ['USDC-SOL', 'USD Coin', 'USDC', 6, 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
    ['WSOL-SOL', 'Wrapped SOL', 'WSOL', 9, 'So11111111111111111111111111111111111111112'],
    ['BONK-SOL', 'Bonk', 'BONK', 5, 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'],
    ['TRUMP-SOL', 'Official Trump', 'TRUMP', 6, '6p6xgHyF7AeE6TZkSmFsko444wqoP15icUSqi2jfGiPN'],
    // Mint and decimals are not known to us: disabled until an operator sets them.
    ['JAMBO-SOL', 'Jambo', 'JAMBO', 9, null],
  ],
  ethereum: [
    ['ETH', 'Ethereum', 'ETH', 18],
    ['ETH_USDT', 'Tether', 'USDT', 6, '0xdAC17F958D2ee523a2206206994597C13D831ec7'],
    ['ETH_USDC', 'USD Coin', 'USDC', 6, '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'],
    ['ETH_TUSD', 'TrueUSD', 'TUSD', 18, '0x0000000000085d4780B73119b644AE5ecd22b376'],
    ['ETH_PAX', 'Pax Dollar', 'PAX', 18, '0x8E870D67F660D95d5be530380D0eC0bd388289E1'],
    ['ETH_GUSD', 'Gemini Dollar', 'GUSD', 2, '0x056Fd409E1d7A124BD7017459dFEa2F387b6d5Cd'],
    ['ETH_DAI', 'Dai', 'DAI', 18, '0x6B175474E89094C44Da98b954EedeAC495271d0F'],
    ['ETH_SAND', 'The Sandbox', 'SAND', 18, '0x3845badAde8e6dFF049820680d1F14bD3903a5d0'],
    ['ETH_SHIB', 'Shiba Inu', 'SHIB', 18, '0x95aD61b0a150d79219dCF64E1E6Cc01f0B64C4cE'],
    ['ETH_BUSD', 'Binance USD', 'BUSD', 18, '0x4Fabb145d64652a948d72533023f6E7A623C7C53'],
    ['ETH_SHFL', 'Shuffle', 'SHFL', 18, '0x8881562783028F5c1BCB985d2283D5E170D88888'],
    ['ETH_cbBTC', 'Coinbase Wrapped BTC', 'cbBTC', 8, '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf'],
    ['ETH_USD1', 'World Liberty USD', 'USD1', 18, '0x8d0D000Ee44948FC98c9B98A4FA4921476f08B0d'],
  ],
  base: [
    ['ETH-BASE', 'Ethereum', 'ETH', 18],
    ['USDC-BASE', 'USD Coin', 'USDC', 6, '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'],
    ['cbBTC-BASE', 'Coinbase Wrapped BTC', 'cbBTC', 8, '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf'],
  ],
  arbitrum: [
    ['ETH-ARBITRUM', 'Ethereum', 'ETH', 18],
    ['USDT-ARBITRUM', 'Tether', 'USDT', 6, '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9'],
    ['USDC-ARBITRUM', 'USD Coin', 'USDC', 6, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'],
    ['USDCE-ARBITRUM', 'Bridged USD Coin', 'USDC.e', 6, '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8'],
  ],
  polygon: [
    ['POL', 'Polygon', 'POL', 18],
    ['USDT-POLYGON', 'Tether', 'USDT', 6, '0xc2132D05D31c914a87C6611C10748AEb04B58e8F'],
    ['USDC-POLYGON', 'USD Coin', 'USDC', 6, '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359'],
    ['USDCE-POLYGON', 'Bridged USD Coin', 'USDC.e', 6, '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174'],
  ],
  bsc: [
    ['BNB', 'BNB', 'BNB', 18],
    ['USDT-BSC', 'Tether', 'USDT', 18, '0x55d398326f99059fF775485246999027B3197955'],
    ['USDC-BSC', 'USD Coin', 'USDC', 18, '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d'],
    ['ETH-BSC', 'Ethereum', 'ETH', 18, '0x2170Ed0880ac9A755fd29B2688956BD959F933F8'],
    ['DAI-BSC', 'Dai', 'DAI', 18, '0x1AF3F329e8BE154074D8769D1FFa4eE058B1DBc3'],
    ['SHIB-BSC', 'Shiba Inu', 'SHIB', 18, '0x2859e4544C4bB03966803b044A93563Bd2D0DD4D'],
    ['BUSD', 'Binance USD', 'BUSD', 18, '0xe9e7CEA3DedcA5984780Bafc599bD69ADd087D56'],
    ['WBNB', 'Wrapped BNB', 'WBNB', 18, '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c'],
    ['USD1-BSC', 'World Liberty USD', 'USD1', 18, '0x8d0D000Ee44948FC98c9B98A4FA4921476f08B0d'],
  ],
  celo: [
    ['CELO', 'Celo', 'CELO', 18],
    ['CELO-CELO', 'Celo', 'CELO', 18, '0x471EcE3750Da237f93B8E339c536989b8978a438'],
    ['CUSD-CELO', 'Celo Dollar', 'cUSD', 18, '0x765DE816845861e75A25fCA122bb6898B8B1282a'],
    ['USDT-CELO', 'Tether', 'USDT', 6, '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e'],
    ['USDC-CELO', 'USD Coin', 'USDC', 6, '0xcebA9300f2b948710d2653dD7B07f33A8B32118C'],
  ],
  tron: [
    ['TRX', 'TRON', 'TRX', 6],
    ['USDT-TRX', 'Tether', 'USDT', 6, 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
    ['USDC-TRX', 'USD Coin', 'USDC', 6, 'TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8'],
  ],
};

const STABLECOINS: readonly string[] = ['USDT', 'USDC', 'USDC.e', 'TUSD', 'PAX', 'GUSD', 'DAI', 'BUSD', 'USD1', 'cUSD', 'L-USDT'];

/** Every kind that an invoice can have, in the order in which a picker shows them. */
export const KINDS: readonly Kind[] = /* @__PURE__ */ Object.values(CHAINS).flatMap(({ id }) => ROWS[id].map((row) => kindFrom(id, row)));

/** Kinds that only a payout can have (§2.1, §4.3); the first is also accepted inside a profile's currencies (§2.8). */
export const PAYOUT_ONLY_KINDS: readonly string[] = ['BTC_LIGHTNING_TO_BTC', 'BTC_LIGHTNING_TO_LIGHTNING'];

/**
 * Finds a kind; names are exact, `cbBTC-BASE` is not `CBBTC-BASE`.
 * @example kindOf('USDT-TRX')?.network // 'TRON (TRC20)'
 */
export function kindOf(kind: string): Kind | undefined {
  return KINDS.find((candidate) => candidate.kind === kind);
}

/**
 * The decimals of an invoiced amount: at most 8, because exchanges and wallets cut there; for stablecoins the profile's
 * precision; never more than the coin has (decisions, "Money").
 */
export function invoiceDecimals(kind: Kind, stablecoinPrecision = 2): number {
  return Math.min(kind.decimals, kind.stablecoin ? stablecoinPrecision : 8);
}

function kindFrom(id: ChainId, [kind, name, symbol, decimals, contract, testContract]: Row): Kind {
  const { name: network, family, finalConfirmations, walletChain } = CHAINS[id];
  // Liquid's own coin is an asset with an id like every other there.
  const token = contract !== undefined && kind !== 'L-BTC';
  return {
    kind,
    chain: id,
    asset: walletChain === 'bitcoin' ? 'BTC' : kind,
    name,
    symbol,
    network,
    decimals,
    contract: contract ?? null,
    testContract: testContract ?? null,
    token,
    paymentString: paymentStringFamily(kind, family, token),
    finalConfirmations,
    stablecoin: STABLECOINS.includes(symbol),
  };
}

function paymentStringFamily(kind: string, family: ChainFamily, token: boolean): PaymentStringFamily {
  if (family === 'utxo') return 'bip21';
  if (family === 'lightning') return kind === 'BTC_LIGHTNING_LNURL' ? 'lnurl' : 'lightning';
  if (family === 'evm') return token ? 'evm_token' : 'evm';
  if (family === 'tron') return token ? 'tron_token' : 'tron';
  return family;
}

function chain(
  id: ChainId,
  name: string,
  family: ChainFamily,
  blockSeconds: number,
  finalConfirmations: number,
  more: Partial<Chain>,
): Chain {
  return { id, name, family, mempool: false, walletChain: id, keyGroup: id, blockSeconds, finalConfirmations, ...more };
}

function evm(
  id: ChainId,
  name: string,
  blockSeconds: number,
  finalConfirmations: number,
  evmChainId: number,
  testEvmChainId: number,
  mempool = false,
): Chain {
  return chain(id, name, 'evm', blockSeconds, finalConfirmations, { keyGroup: 'evm', evmChainId, testEvmChainId, mempool });
}
