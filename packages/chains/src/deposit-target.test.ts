import { readFileSync } from 'node:fs';
import { mnemonicToSeedSync } from '@scure/bip39';
import { hex } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import type { DeriveOptions } from './adapter.ts';
import { publicKeysOf } from './keys.ts';
import { AddressError } from './parsed-address.ts';
import { blindingPublicKey } from './liquid/address.ts';
import { deriveTarget, parseAddress, watchKeyOf } from './deposit-target.ts';
import { tagOf, xAddress } from './xrp/address.ts';

const vectors = JSON.parse(
  readFileSync(new URL('../test/vectors/addresses.json', import.meta.url), 'utf8'),
) as {
  mnemonic: string;
  values: Record<string, string>;
};
const seed = mnemonicToSeedSync(vectors.mnemonic);
const main = publicKeysOf(seed, { network: 'mainnet' });
const test = publicKeysOf(seed, { network: 'testnet' });

function vector(name: string): string {
  const value = vectors.values[name];
  if (value === undefined) throw new Error(`No vector ${name}`);
  return value;
}

function options(kind: string, index: number): DeriveOptions {
  return { kind, index, amount: null, expirySeconds: 900, description: '', now: 0 };
}

async function address(
  keys: typeof main,
  chain: ChainId,
  kind: string,
  index = 0,
): Promise<string | null> {
  return (await deriveTarget(keys, chain, options(kind, index))).address;
}

/** Chain, kind, index, and the name of the address in `test/vectors/addresses.json`. */
const DERIVED: [ChainId, string, number, string][] = [
  ['bitcoin', 'BTC', 0, "BTC_BECH32 m/84'/0'/0'/0/0"],
  ['bitcoin', 'BTC_BECH32', 1, "BTC_BECH32 m/84'/0'/0'/0/1"],
  ['bitcoin', 'BTC_P2SH', 0, "BTC_P2SH m/49'/0'/0'/0/0"],
  ['bitcoin', 'BTC_P2SH', 1, "BTC_P2SH m/49'/0'/0'/0/1"],
  ['litecoin', 'LTC', 0, "LTC p2wpkh m/84'/2'/0'/0/0"],
  ['litecoin', 'LTC', 1, "LTC p2wpkh m/84'/2'/0'/0/1"],
  ['dogecoin', 'DOGE', 0, "DOGE p2pkh m/44'/3'/0'/0/0"],
  ['dogecoin', 'DOGE', 1, "DOGE p2pkh m/44'/3'/0'/0/1"],
  ['ethereum', 'ETH', 0, "ETH/Base/Arb/POL/BNB m/44'/60'/0'/0/0"],
  ['base', 'USDC-BASE', 1, "ETH/Base/Arb/POL/BNB m/44'/60'/0'/0/1"],
  ['tron', 'TRX', 0, "TRX m/44'/195'/0'/0/0"],
  ['tron', 'USDT-TRX', 1, "TRX m/44'/195'/0'/0/1"],
  ['xrp', 'XRP', 0, "XRP m/44'/144'/0'/0/0"],
  ['solana', 'SOL', 0, "SOL m/44'/501'/0'/0'"],
  ['solana', 'USDC-SOL', 1, "SOL m/44'/501'/1'/0'"],
  ['ton', 'TON', 0, 'TON v4r2 (non-bounceable)'],
  ['ton', 'TON', 1, 'TON v4r2 subwallet +1 (walletId 698983192)'],
  ['ton', 'USDT-TON', 2, 'TON v4r2 subwallet +2'],
  ['liquid', 'L-BTC', 0, 'L-BTC confidential p2wpkh lq1'],
];

describe('deriveTarget', () => {
  it.each(DERIVED)(
    'derives %s %s index %i like two other implementations',
    async (chain, kind, index, name) => {
      const derived = await address(main, chain, kind, index);
      expect(derived).toBe(vector(name));
      expect(parseAddress(chain, 'mainnet', vector(name)).address).toBe(derived);
    },
  );

  it('is compared with an address of another implementation on every chain', () => {
    const compared = new Set(DERIVED.map(([chain]) => chain));
    const missing = Object.values(CHAINS).filter(
      ({ id, family }) => family !== 'evm' && id !== 'lightning' && !compared.has(id),
    );
    expect(
      missing.map(({ id }) => id),
      'DERIVED in packages/chains/src/deposit-target.test.ts lacks these chains',
    ).toEqual([]);
  });

  it('derives test network addresses under coin type 1', async () => {
    expect(await address(test, 'bitcoin', 'BTC')).toBe(
      vector("tBTC p2wpkh m/84'/1'/0'/0/0 (testnet)"),
    );
    expect(await address(test, 'bitcoin', 'BTC_P2SH')).toBe(
      vector("tBTC p2sh m/49'/1'/0'/0/0 (testnet)"),
    );
  });

  it('applies address_format to BTC only', async () => {
    const wrapped = publicKeysOf(seed, { network: 'mainnet', bitcoinFormat: 'p2sh' });
    expect(await address(wrapped, 'bitcoin', 'BTC')).toBe(vector("BTC_P2SH m/49'/0'/0'/0/0"));
    expect(await address(wrapped, 'bitcoin', 'BTC_BECH32')).toBe(
      vector("BTC_BECH32 m/84'/0'/0'/0/0"),
    );
  });

  it.each<[ChainId, string, RegExp]>([
    ['litecoin', 'LTC', /^tltc1q/],
    ['dogecoin', 'DOGE', /^n/],
    ['liquid', 'L-BTC', /^tlq1q/],
    ['ton', 'TON', /^0Q/],
  ])('derives a test network address of %s', async (chain, kind, form) => {
    const derived = (await address(test, chain, kind)) ?? '';
    expect(derived).toMatch(form);
    expect(parseAddress(chain, 'testnet', derived).address).toBe(derived);
    expect(() => parseAddress(chain, 'mainnet', derived)).toThrow(AddressError);
  });

  it('returns both Liquid addresses and watches the unconfidential one', async () => {
    const target = await deriveTarget(main, 'liquid', options('L-USDT', 0));
    const plain = vector("L-BTC unconfidential p2wpkh m/84'/1776'/0'/0/0");
    expect(target.publicAddress).toBe(plain);
    expect(target.watchKeys).toEqual([`liquid:${plain}`]);
    expect(parseAddress('liquid', 'mainnet', plain).address).toBe(plain);
  });

  it('derives the SLIP-77 blinding keys of the vectors', () => {
    expect(hex.encode(main.liquid.masterBlindingKey)).toBe(
      vector('Liquid SLIP-77 master blinding key'),
    );
    const confidential = parseAddress('liquid', 'mainnet', vector('Liquid p2sh-p2wpkh conf'));
    expect(confidential.address).toBe(vector('Liquid p2sh-p2wpkh conf'));
    expect(
      blindingPublicKey(
        main.liquid.masterBlindingKey,
        hex.decode('0014d0c4a3ef09e997b6e99e397e518fe3e41a118ca1'),
      ),
    ).toHaveLength(33);
  });

  it('shares one address and watch key between all EVM chains', async () => {
    const chains: ChainId[] = ['ethereum', 'base', 'arbitrum', 'polygon', 'bsc', 'celo'];
    const targets = await Promise.all(
      chains.map((chain) => deriveTarget(main, chain, options('ETH', 4))),
    );
    expect(new Set(targets.flatMap(({ watchKeys }) => watchKeys)).size).toBe(1);
    expect(targets[0]?.watchKeys[0]).toBe(`evm:${targets[0]?.address?.toLowerCase()}`);
  });

  it('derives the same watch key from both forms of a Liquid address', async () => {
    const blinded = [
      [vector('Liquid p2sh-p2wpkh conf'), vector("Liquid p2sh-p2wpkh unconf m/49'/1776'/0'/0/0")],
      ...(await Promise.all(
        [main, test].map(async (keys) => {
          const { address, publicAddress } = await deriveTarget(
            keys,
            'liquid',
            options('L-BTC', 3),
          );
          return [address!, publicAddress!];
        }),
      )),
    ];
    for (const [confidential, plain] of blinded) {
      expect(confidential).not.toBe(plain);
      for (const address of [confidential!, plain!])
        expect(watchKeyOf('liquid', address)).toBe(`liquid:${plain}`);
    }
  });

  it('uses one XRP account with a tag per invoice', async () => {
    const targets = await Promise.all(
      [0, 1, 2].map((index) => deriveTarget(main, 'xrp', options('XRP', index))),
    );
    expect(new Set(targets.map((target) => target.address)).size).toBe(1);
    expect(new Set(targets.map((target) => target.tag)).size).toBe(3);
    for (const { address, tag, xAddress: x, watchKeys } of targets) {
      expect(watchKeys).toEqual([`xrp:${address}:${tag}`]);
      expect(parseAddress('xrp', 'mainnet', x ?? '')).toEqual({ address, tag });
      expect(parseAddress('xrp', 'mainnet', `${address}:${tag}`)).toEqual({ address, tag });
    }
  });

  it('derives 10,000 distinct destination tags, none of them 0', () => {
    const tags = Array.from({ length: 10_000 }, (_, index) => tagOf(index));
    expect(new Set(tags).size).toBe(10_000);
    expect(tags.every((tag) => Number(tag) > 0 && Number(tag) < 2 ** 31)).toBe(true);
    expect(tagOf(2_147_483_645)).not.toBe(tagOf(0));
    expect(() => tagOf(2_147_483_646)).toThrow(RangeError);
  });

  it('encodes X-addresses like the reference library', () => {
    expect(xAddress('mainnet', main.xrp, '12345')).toBe(vector('XRP X-address tag 12345'));
    expect(xAddress('mainnet', main.xrp, null)).toBe(vector('XRP X-address no tag'));
    const onTestNetwork = xAddress('testnet', main.xrp, '12345');
    expect(onTestNetwork).toMatch(/^T/);
    expect(() => parseAddress('xrp', 'mainnet', onTestNetwork)).toThrow(AddressError);
  });

  it('exports the same Solana keys on demand in any order', async () => {
    const far = await address(main, 'solana', 'SOL', 100_000);
    const near = await address(main, 'solana', 'SOL', 33);
    expect(near).not.toBe(far);
    const again = publicKeysOf(seed, { network: 'testnet' });
    expect([
      await address(again, 'solana', 'SOL', 33),
      await address(again, 'solana', 'SOL', 100_000),
    ]).toEqual([near, far]);
  });
});

describe('parseAddress', () => {
  it.each<[ChainId, string]>([
    ['bitcoin', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyv'],
    ['bitcoin', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyU'],
    ['bitcoin', 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh'],
    ['bitcoin', 'DBus3bamQjgJULBJtYXpEzDWQRwF5iwxgC'],
    ['bitcoin', '37VucYSaXLCAsxYyAPfbSi9eh4iEcbShgg'],
    // The same script hash as Bitcoin's 3…, and Litecoin's old form of it.
    ['bitcoin', 'M7wtsL7wSHDBJVMWWhtQfTMSYYkyooAAXM'],
    ['litecoin', '37VucYSaXLCAsxYyAPfbSi9eh4iEcbShgf'],
    ['dogecoin', 'M7wtsL7wSHDBJVMWWhtQfTMSYYkyooAAXM'],
    ['dogecoin', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'],
    ['ethereum', '0x9858EfFD232B4033E47d90003D41EC34EcaEda95'],
    ['ethereum', '0x9858effd232b4033e47d90003d41ec34ecaeda9'],
    ['ethereum', '9858EfFD232B4033E47d90003D41EC34EcaEda94'],
    ['tron', 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdI'],
    ['tron', '1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA'],
    ['xrp', 'rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v4'],
    ['xrp', 'rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v3:4294967296'],
    ['xrp', 'rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v3:01'],
    ['xrp', 'rHsMGQEkVNJmpGWs8XUBoTBiAAbwxZN5v3:'],
    ['solana', 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKp0k'],
    ['solana', 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3D'],
    ['ton', 'UQAzWZa6nM5mJev91wGc7VCSfBoIsYRqKJpV78N8Add9-RKZ'],
    ['ton', '2:335996ba9cce6625ebfdd7019ced50927c1a08b1846a289a55efc37c01d77df9'],
    [
      'liquid',
      'lq1qqvxk052kf3qtkxmrakx50a9gc3smqad2ync54hzntjt980kfej9kkfe0247rp5h4yzmdftsahhw64uy8pzfe7cpg4fgykm7cw',
    ],
    ['liquid', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'],
    ['liquid', '37VucYSaXLCAsxYyAPfbSi9eh4iEcbShgf'],
    ['lightning', 'lnbc1'],
    ['bitcoin', ''],
    // All-zero accounts: funds sent there are lost.
    ['ethereum', '0x0000000000000000000000000000000000000000'],
    ['tron', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb'],
    ['solana', '11111111111111111111111111111111'],
    ['ton', '0:0000000000000000000000000000000000000000000000000000000000000000'],
    ['ton', 'UQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAJKZ'],
  ])('refuses a wrong %s address: %s', (chain, text) => {
    expect(() => parseAddress(chain, 'mainnet', text)).toThrow(AddressError);
  });

  it('normalizes the other forms of an address', () => {
    const ton = vector('TON v4r2 (non-bounceable)');
    expect(parseAddress('ton', 'mainnet', vector('TON v4r2 (bounceable)')).address).toBe(ton);
    expect(parseAddress('ton', 'mainnet', vector('TON v4r2 raw')).address).toBe(ton);
    const evm = vector("ETH/Base/Arb/POL/BNB m/44'/60'/0'/0/0");
    expect(parseAddress('bsc', 'mainnet', evm.toLowerCase()).address).toBe(evm);
    const bech32 = vector("BTC_BECH32 m/84'/0'/0'/0/0");
    expect(parseAddress('bitcoin', 'mainnet', bech32.toUpperCase()).address).toBe(bech32);
    const taproot = vector("BTC p2tr m/86'/0'/0'/0/0");
    expect(parseAddress('bitcoin', 'mainnet', taproot).address).toBe(taproot);
    expect(
      parseAddress('liquid', 'mainnet', vector("Liquid p2sh-p2wpkh unconf m/49'/1776'/0'/0/0")).tag,
    ).toBeNull();
  });
});
