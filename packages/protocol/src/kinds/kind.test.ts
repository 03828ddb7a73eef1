import { describe, expect, test } from 'vitest';
import tokens from '../../test/vectors/token.json' with { type: 'json' };
import { CHAINS, invoiceDecimals, KINDS, kindOf, PAYOUT_ONLY_KINDS } from './kind.ts';

/** The kinds of the public API. */
const EXPECTED =
  `BTC BTC_P2SH BTC_BECH32 BTC_LIGHTNING BTC_LIGHTNING_LNURL LTC XRP DOGE TON SOL ETH ETH-BASE ETH-ARBITRUM POL BNB TRX CELO
  ETH_USDT ETH_USDC ETH_TUSD ETH_PAX ETH_GUSD ETH_SAND ETH_SHIB ETH_BUSD ETH_SHFL ETH_cbBTC ETH_USD1 ETH_DAI
  USDT-POLYGON USDC-POLYGON USDCE-POLYGON USDC-BASE cbBTC-BASE USDT-ARBITRUM USDC-ARBITRUM USDCE-ARBITRUM
  CELO-CELO CUSD-CELO USDT-CELO USDC-CELO USDT-TRX USDC-TRX USDT-SOL USDC-SOL WSOL-SOL BONK-SOL TRUMP-SOL JAMBO-SOL
  USDT-BSC USDC-BSC ETH-BSC DAI-BSC SHIB-BSC BUSD WBNB USD1-BSC L-BTC L-USDT USDT-TON NOT-TON BTC_LIGHTNING_TO_LIGHTNING`.split(
    /\s+/,
  );

describe('kinds', () => {
  test('are those of the API, each once', () => {
    expect(
      KINDS.map(({ kind }) => kind).toSorted(),
      'EXPECTED of this test and the files in packages/protocol/src/chains differ',
    ).toEqual(EXPECTED.toSorted());
  });

  test.each(tokens.tokens as [string, string, string, string][])(
    '%s has its contract and decimals',
    (kind, _, contract, decimals) => {
      expect(kindOf(kind)).toMatchObject({ contract, decimals: Number(decimals), token: true });
    },
  );

  test('that are tokens have a row in test/vectors/token.json', () => {
    const rows = new Set(tokens.tokens.map(([kind]) => kind));
    const missing = KINDS.filter(
      ({ kind, token, contract }) => token && contract !== null && !rows.has(kind),
    );
    expect(
      missing.map(({ kind, contract, decimals }) => [kind, contract, decimals]),
      'packages/protocol/test/vectors/token.json lacks these tokens',
    ).toEqual([]);
  });

  test('have a contract if and only if they are tokens or Liquid assets, except JAMBO-SOL, whose mint is unknown', () => {
    const odd = KINDS.filter(
      ({ kind, token, contract }) => token !== (contract !== null) && kind !== 'L-BTC',
    ).map(({ kind }) => kind);
    expect(odd).toEqual(['JAMBO-SOL']);
  });

  test('credit lightning payments to the bitcoin wallet', () => {
    const bitcoin = KINDS.filter(({ asset }) => asset === 'BTC');
    expect(bitcoin.map(({ kind }) => kind)).toEqual(
      EXPECTED.filter((kind) => kind.startsWith('BTC')),
    );
    expect(new Set(bitcoin.map(({ chain }) => CHAINS[chain].walletChain))).toEqual(
      new Set(['bitcoin']),
    );
  });

  test.each([
    ['BTC', 6],
    ['LTC', 6],
    ['DOGE', 6],
    ['L-BTC', 6],
    ['ETH_USDT', 12],
    ['CELO', 12],
    ['ETH-BASE', 12],
    ['ETH-ARBITRUM', 40],
    ['POL', 20],
    ['BNB', 30],
    ['TRX', 20],
    ['XRP', 1],
    ['TON', 1],
    ['BTC_LIGHTNING', 1],
  ])('%s is final after %d confirmations', (kind, depth) => {
    expect(kindOf(kind)?.finalConfirmations).toBe(depth);
  });

  test.each([
    ['ETH_USDT', 'Tether', 'USDT', 'Ethereum (ERC20)'],
    ['USDT-TRX', 'Tether', 'USDT', 'TRON (TRC20)'],
    ['USDC-BSC', 'USD Coin', 'USDC', 'BNB Smart Chain (BEP20)'],
    ['BTC_LIGHTNING', 'Bitcoin', 'BTC', 'Lightning'],
    ['TON', 'Gram', 'GRAM', 'TON'],
  ])('%s is shown as %s, %s on %s', (kind, name, symbol, network) => {
    expect(kindOf(kind)).toMatchObject({ name, symbol, network });
  });

  test.each([
    ['BTC', 2, 8],
    ['ETH', 2, 8],
    ['XRP', 2, 6],
    ['ETH_USDT', 2, 2],
    ['USDT-BSC', 6, 6],
    ['ETH_GUSD', 6, 2],
    ['BONK-SOL', 2, 5],
    ['L-USDT', 0, 0],
  ])('%s at stablecoin precision %d is invoiced with %d decimals', (kind, precision, decimals) => {
    expect(invoiceDecimals(kindOf(kind)!, precision)).toBe(decimals);
  });

  test('are found by their exact name only', () => {
    for (const name of ['btc', 'CBBTC-BASE', 'BTC ', '', 'constructor', 'BTC_LIGHTNING_TO_BTC'])
      expect(kindOf(name)).toBeUndefined();
    expect(PAYOUT_ONLY_KINDS).toContain('BTC_LIGHTNING_TO_BTC');
  });

  test('of all EVM chains share receiving keys, and every chain has its own chain id', () => {
    const evm = Object.values(CHAINS).filter(({ family }) => family === 'evm');
    expect(new Set(evm.map(({ keyGroup }) => keyGroup))).toEqual(new Set(['evm']));
    const ids = evm.flatMap(({ evmChainId, testEvmChainId }) => [evmChainId, testEvmChainId]);
    expect(new Set(ids).size).toBe(evm.length * 2);
    expect(ids).not.toContain(undefined);
  });
});
