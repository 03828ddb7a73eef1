import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hex } from '@scure/base';
import { scriptOf } from '@crypto-checkout/chains/bitcoin/address';
import { bitcoinNetwork } from '@crypto-checkout/chains/bitcoin/network';
import type { BitcoinPlan } from '@crypto-checkout/chains/sender';
import { SigningRefusedError } from '@crypto-checkout/chains/signer';
import { transactionWith } from '../../../chains/test/support/bitcoin-transaction.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { approve, createApproverKey } from './approval.ts';
import { readPolicy } from './policy.ts';
import type { BitcoinRequest, SignerState } from './request.ts';
import { decide } from './rules.ts';
import { newSignedLog } from '../../test/support/new-signed-log.ts';
import {
  BTC_SHOP,
  bitcoinPayout,
  change,
  coin,
  keys,
  ownUtxoAddress,
  units,
} from '../../test/support/signer-requests.ts';

const THIEF = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
const DOGE_SHOP = 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L';
const START = Date.UTC(2026, 10, 23);
const approver = createApproverKey();

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signer-'));
  writePolicy({});
});
afterEach(() => rmSync(folder, { recursive: true }));

function writePolicy(more: object): void {
  const limits = { fee_per_transaction: '0.001', fee_per_day: '0.0025' };
  const bitcoin = {
    ...limits,
    payouts: { BTC: { per_transaction: '1', per_day: '1.5' } },
    ...more,
  };
  const dogecoin = {
    fee_per_transaction: '1',
    fee_per_day: '10',
    payouts: { DOGE: { per_transaction: '1000', per_day: '1000' } },
  };
  const policy = {
    network: 'mainnet',
    chains: { bitcoin, dogecoin },
    approvers: [approver.key],
  };
  writeFileSync(join(folder, 'policy.json'), JSON.stringify(policy));
}

const state = (): SignerState => ({
  policy: readPolicy(join(folder, 'policy.json')),
  keys,
  log: newSignedLog(join(folder, 'signed.log')),
  now: START,
});

function signs(request: BitcoinRequest): boolean {
  const current = state();
  const entry = decide(request, current);
  if (entry !== null) current.log.append(entry);
  return true;
}
const refuses = (request: BitcoinRequest, reason: RegExp): void => {
  expect(() => signs(request)).toThrow(SigningRefusedError);
  expect(() => signs(request)).toThrow(reason);
};

describe('a payout of outputs', () => {
  it('within the limits is signed, and signed again as it was', () => {
    const request = bitcoinPayout('a');
    expect(signs(request)).toBe(true);
    expect(decide(request, state())).toBeNull();
  });

  it('beyond the limit of one or of a day is refused; all recipients count', () => {
    const two = [BTC_SHOP, THIEF].map((address) => ({ address, units: units(0.6) }));
    const large = bitcoinPayout('a', {
      inputs: [coin(1, 2)],
      outputs: two,
      change: change(0.7999),
    });
    refuses(large, /1.2 BTC to 2 recipients is beyond the policy and needs an approval/);
    signs(
      bitcoinPayout('b', {
        outputs: [{ address: BTC_SHOP, units: units(0.9) }],
        change: change(0.0999),
      }),
    );
    const next = { inputs: [coin(2, 1)], outputs: [{ address: BTC_SHOP, units: units(0.7) }] };
    refuses(bitcoinPayout('c', { ...next, change: change(0.2999) }), /needs an approval/);
  });

  it('needs an approval for another address than the fixed ones, and obeys it exactly', () => {
    writePolicy({ destinations: [BTC_SHOP.toUpperCase()] });
    expect(signs(bitcoinPayout('a'))).toBe(true);
    const other = bitcoinPayout('b', {
      inputs: [coin(2, 1)],
      outputs: [{ address: THIEF, units: units(0.5) }],
    });
    refuses(other, /0.5 BTC to bc1qar0s\w+ is beyond the policy and needs an approval/);
    const approved = {
      network: 'mainnet' as const,
      chain: 'bitcoin',
      kind: 'BTC',
      id: 'b',
      recipients: [{ address: THIEF, tag: null, amount: '0.5' }],
      fee: '0.0002',
      expires_at: START / 1000 + 60,
    };
    const approval = approve(approved, approver);
    refuses(
      {
        ...other,
        approval: approve(
          { ...approved, recipients: [{ address: THIEF, tag: null, amount: '0.4' }] },
          approver,
        ),
      },
      /not for/,
    );
    expect(signs({ ...other, approval })).toBe(true);
  });

  it('goes with change of these keys alone', () => {
    refuses(
      bitcoinPayout('a', { change: change(0.4999, THIEF) }),
      /change to bc1qar0s\w+ is not allowed/,
    );
    refuses(bitcoinPayout('a', { change: { ...change(0.4999), index: 5 } }), /is not allowed/);
  });

  it('spends outputs of these keys, each once', () => {
    refuses(
      bitcoinPayout('a', { inputs: [coin(1, 1, { address: THIEF })] }),
      /no key of this signer/,
    );
    const twice = { inputs: [coin(1, 1), coin(1, 1)], change: change(1.4999) };
    refuses(bitcoinPayout('a', twice), /an output is spent twice/);
  });

  it('is on the network of the policy and of its chain', () => {
    refuses(bitcoinPayout('a', { network: 'regtest' }), /regtest of bitcoin is not on the mainnet/);
    refuses(
      { ...bitcoinPayout('a'), chain: 'dogecoin' },
      /a plan of bitcoin is not one of dogecoin/,
    );
    const litecoin = bitcoinPayout('a', { chain: 'litecoin' });
    refuses({ ...litecoin, chain: 'litecoin' }, /does not name the chain litecoin/);
    const doge = { outputs: [{ address: DOGE_SHOP, units: units(0.5) }] };
    refuses(bitcoinPayout('a', doge), /is not an address of bitcoin on main/);
  });

  it('is no sweep and no top-up, and has a recipient', () => {
    refuses(
      { ...bitcoinPayout('a'), purpose: 'top_up' },
      /has payouts and sweeps to own addresses only/,
    );
    refuses(
      { ...bitcoinPayout('a'), recipientIndex: 3 },
      /has payouts and sweeps to own addresses only/,
    );
    refuses(bitcoinPayout('a', { outputs: [], change: change(0.9999) }), /has no recipient/);
    refuses(
      bitcoinPayout('a', { outputs: [{ address: BTC_SHOP, units: '0' }] }),
      /nothing would be paid/,
    );
  });

  it('has a fee below the ceilings of one and of a day', () => {
    refuses(
      bitcoinPayout('a', { change: null }),
      /the fee of 0.5 is above fee_per_transaction, 0.001/,
    );
    refuses(bitcoinPayout('a', { change: change(0.6) }), /the outputs are more than the inputs/);
    const outputs = [{ address: BTC_SHOP, units: units(0.1) }];
    const dear = (id: string, at: number) =>
      bitcoinPayout(id, { inputs: [coin(at, 1)], outputs, change: change(0.899) });
    signs(dear('b', 2));
    signs(dear('c', 3));
    refuses(dear('d', 4), /fees of 24 hours would be 0.003, above fee_per_day, 0.0025/);
  });
});

describe('a second plan of one id', () => {
  it('is signed with the same recipients and an input of each earlier one', () => {
    signs(bitcoinPayout('a'));
    expect(signs(bitcoinPayout('a', { change: change(0.4995) }))).toBe(true);
    const more = { inputs: [coin(1, 1), coin(2, 1)], change: change(1.4992) };
    expect(signs(bitcoinPayout('a', more))).toBe(true);
    const other = { inputs: [coin(2, 1)], change: change(0.4991) };
    refuses(bitcoinPayout('a', other), /both transactions could be mined/);
    expect(signs(bitcoinPayout('b', { inputs: [coin(3, 1)] }))).toBe(true);
  });

  it('has no other recipient or amount', () => {
    signs(bitcoinPayout('a'));
    const outputs = [{ address: THIEF, units: units(0.5) }];
    refuses(bitcoinPayout('a', { outputs }), /was signed before, with another recipient or amount/);
    const less = [{ address: BTC_SHOP, units: units(0.4) }];
    refuses(bitcoinPayout('a', { outputs: less, change: change(0.5999) }), /was signed before/);
  });

  it('can cancel it, and then never pays', () => {
    signs(bitcoinPayout('a'));
    expect(signs(bitcoinPayout('a', { outputs: [], change: change(0.9995) }))).toBe(true);
    refuses(bitcoinPayout('a', { change: change(0.4994) }), /was signed before/);
  });
});

describe('amounts that are spent', () => {
  it('do not change between plans, whose signatures could be put together', () => {
    const inputs = [coin(1, 1), coin(2, 1)];
    signs(bitcoinPayout('a', { inputs, change: change(1.4999) }));
    const lie = { inputs: [coin(1, 0.6), coin(3, 1)], change: change(1.0999) };
    refuses(bitcoinPayout('b', lie), /was signed before with another amount/);
  });

  describe('without segwit', () => {
    const address = ownUtxoAddress('dogecoin', 0, 1);
    const previous = (coins: number, to = address): { raw: string; txid: string } => {
      const { versions } = bitcoinNetwork('dogecoin', 'main');
      return transactionWith([{ script: scriptOf(versions, to), units: BigInt(units(coins)) }]);
    };
    const doge = ({ raw, txid }: { raw: string | undefined; txid: string }): BitcoinRequest => ({
      ...bitcoinPayout('doge'),
      chain: 'dogecoin',
      plan: {
        family: 'bitcoin',
        chain: 'dogecoin',
        network: 'main',
        inputs: [
          { outpoint: `${txid}:0`, units: units(10), branch: 0, index: 1, address, previous: raw },
        ],
        outputs: [{ address: DOGE_SHOP, units: units(9.5) }],
        change: null,
        height: 1,
      },
    });

    it('are proven by the transaction that they come from', () => {
      expect(signs(doge(previous(10)))).toBe(true);
      expect(JSON.stringify(state().log.entries)).not.toContain('previous');
    });

    it.each([
      ['a missing one', () => ({ ...previous(10), raw: undefined }), /comes from is missing/],
      ['another amount', () => previous(10_000), /is not the amount and address/],
      ['another address', () => previous(10, DOGE_SHOP), /is not the amount and address/],
      ['another transaction', () => ({ ...previous(10), txid: previous(11).txid }), /is not the/],
      ['bytes behind it', () => ({ ...previous(10), raw: `${previous(10).raw}00` }), /is not the/],
      ['no transaction', () => ({ ...previous(10), raw: hex.encode(Buffer.from('x')) }), /is not/],
    ])('are refused with %s', (_, made, reason) => refuses(doge(made()), reason));
  });
});

describe('the policy of a Bitcoin-like chain', () => {
  it.each<[RegExp, object]>([
    [/bitcoin has no sweeps, so no sweep_to/, { sweep_to: BTC_SHOP }],
    [
      /chains.bitcoin.destinations: D\w+ is not an address of bitcoin/,
      { destinations: [DOGE_SHOP] },
    ],
    [
      /bitcoin has no kind LTC; it has BTC/,
      { payouts: { LTC: { per_transaction: '1', per_day: '1' } } },
    ],
  ])('with a mistake ends the start: %s', (message, more) => {
    writePolicy(more);
    expect(() => state()).toThrow(message);
  });
});

describe('a sweep that joins coins', () => {
  const sweep = (plan: Partial<BitcoinPlan>): BitcoinRequest => ({
    ...bitcoinPayout('s', { inputs: [coin(1, 0.3), coin(2, 0.4)], outputs: [], ...plan }),
    purpose: 'sweep',
  });

  it('to an address of these keys is signed, and counts for no limit of payouts', () => {
    expect(signs(sweep({ change: change(0.6999) }))).toBe(true);
    const most = { inputs: [coin(3, 2)], outputs: [{ address: BTC_SHOP, units: units(1) }] };
    expect(signs(bitcoinPayout('a', { ...most, change: change(0.9999) }))).toBe(true);
  });

  it('to any other address, or for a high fee, is refused', () => {
    refuses(sweep({ change: change(0.6999, THIEF) }), /it is no address of these keys/);
    refuses(
      sweep({ outputs: [{ address: THIEF, units: units(0.1) }], change: change(0.5999) }),
      /a sweep pays no other address than one of these keys/,
    );
    refuses(sweep({ change: null }), /a transaction has no output/);
    refuses(sweep({ change: change(0.69) }), /above fee_per_transaction/);
  });
});
