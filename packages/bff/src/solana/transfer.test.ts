import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { publicKeyOf, tokenAccountOf } from './address.ts';
import { transferOf } from './transfer.ts';

const key = (text: string): Uint8Array => publicKeyOf(text)!;
// Keys of the published test mnemonic.
const PAYER = key('HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk');
const RECIPIENT = key('Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb');
const BLOCKHASH = key('GjJyeC1r2RgkuoCWMyPYkCWSGSGLcz266EaAkLA27AhL');
const USDC = key('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v');
const common = { payer: PAYER, recipient: RECIPIENT, blockhash: BLOCKHASH };

/** The same payments, created by Solana's libraries (web3.js 1.98, spl-token 0.4). */
const THEIRS = {
  SOL: 'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAED8DYnYkanW53jNJ7UKxXiMvZRj8IPX81PHWToH5vSWPf4AprPXLy91axG7BR/O3ij325QIu8EEdsrq2UNMppM1AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA6bYGKEG7l3rSHeceyWGQBjPCbyE4TgFbAUpjemFJlUcBAgIAAQwCAAAARPtKBwAAAAA=',
  USDC: 'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAUI8DYnYkanW53jNJ7UKxXiMvZRj8IPX81PHWToH5vSWPdA0vJ8Rh8p6f66Gris05SWqcZbCuYqcT8B+UGpk79V7W+6KKJtaJIH/qJOEO2VP84u79AIG0lJRcStsgVHn1CZAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACMlyWPTiSJ8bs9ECkUjg2DC1oTmdr/EIQEjnvY2+n4Wcb6evO+2606PWXzaqvJdDGxu+TC0vbg5HymAgNFL11h+AKaz1y8vdWsRuwUfzt4o99uUCLvBBHbK6tlDTKaTNQG3fbh12Whk9nL4UbO63msHLSF7V9bN5E6jPWFfv8Aqem2BihBu5d60h3nHslhkAYzwm8hOE4BWwFKY3phSZVHAgQGAAIGBQMHAQEHBAEFAgAKDKBJGgEAAAAABg==',
};

/** The content of a transaction, independent of the order of its accounts. */
function meaningOf(transaction: Uint8Array) {
  let at = 65;
  const take = (length: number): Uint8Array => transaction.subarray(at, (at += length));
  const one = (): number => take(1)[0]!;
  const [signers, readOnlySigners, readOnly] = take(3);
  const keys = Array.from({ length: one() }, () => base58.encode(take(32)));
  const blockhash = base58.encode(take(32));
  const instructions = Array.from({ length: one() }, () => ({
    program: keys[one()],
    accounts: [...take(one())].map((place) => keys[place]),
    data: Buffer.from(take(one())).toString('hex'),
  }));
  expect(at).toBe(transaction.length);
  return {
    signatures: Buffer.from(transaction.subarray(0, 65)).toString('hex'),
    payer: keys[0],
    signers,
    readOnlySigners,
    changed: keys.slice(0, keys.length - readOnly!).toSorted(),
    keys: keys.toSorted(),
    blockhash,
    instructions,
  };
}

const decoded = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'));

describe('a Solana payment to sign', () => {
  it('of SOL equals that of Solana’s libraries byte for byte', () => {
    const ours = transferOf({ ...common, units: 122_354_500n, token: null });
    expect(Buffer.from(ours).toString('base64')).toBe(THEIRS.SOL);
  });

  it('of a token has the instructions of theirs: create the account if missing, then transfer', () => {
    const ours = transferOf({ ...common, units: 18_500_000n, token: { mint: USDC, decimals: 6 } });
    expect(meaningOf(ours)).toEqual(meaningOf(decoded(THEIRS.USDC)));
  });

  it('contains the largest amount', () => {
    const ours = transferOf({ ...common, units: 2n ** 64n - 1n, token: null });
    expect(Buffer.from(ours.slice(-8)).toString('hex')).toBe('ffffffffffffffff');
  });

  it('rejects amounts beyond 64 bits', () => {
    for (const units of [2n ** 64n, 2n ** 64n + 5n, -1n])
      expect(() => transferOf({ ...common, units, token: null })).toThrow(RangeError);
  });
});

describe('a token account', () => {
  it.each([
    [
      'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk',
      'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      '5N3f1tj9v1vc5TUZ8S7mCAnVmjVKrfnzXWhxLaxyZAgt',
    ],
    [
      'Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb',
      'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
      '8X8ts1CnpZmtqApE2rREA97xEJuSRcomPGVcMFdS2cgY',
    ],
    [
      'B8UwBUUnKwCyKuGMbFKWaG7exYdDk2ozZrPg72NyVbfj',
      '7o36UsWR1JQLpZ9PE2gn9L4SQ69CNNiWAXd4Jt7rqz9Z',
      'DShWnroshVbeUp28oopA3Pu7oFPDBtC1DBmPECXXAQ9n',
    ],
  ])('has the address of Solana’s libraries: %s', (owner, mint, account) => {
    expect(base58.encode(tokenAccountOf(key(owner), key(mint)))).toBe(account);
  });

  it('rejects invalid public keys', () => {
    for (const text of ['', '0', 'abc', 'O'.repeat(32), '1'.repeat(33), `${'1'.repeat(31)}é`])
      expect(publicKeyOf(text)).toBeNull();
  });
});
