import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeBolt11, encodeBolt11, FEATURES } from '@crypto-checkout/chains/lightning/bolt11';
import { SigningRefusedError } from '@crypto-checkout/chains/signer';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { approve, createApproverKey } from './approval.ts';
import { parsePolicy } from './policy.ts';
import type { LightningRequest, SignerState } from './request.ts';
import { decide } from './rules.ts';
import { newSignedLog } from '../../test/support/new-signed-log.ts';

const NODE_KEY = new Uint8Array(32).fill(7);
const OTHER_NODE = `02${'ab'.repeat(32)}`;
const START = Date.UTC(2026, 10, 23);
const approver = createApproverKey();

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'signer-lightning-'))));
afterEach(() => rmSync(folder, { recursive: true }));

interface Wanted {
  sats: bigint;
  hash?: string;
  prefix?: 'bc' | 'tb';
  fixed?: boolean;
  feeMsat?: bigint;
}

let count = 0;
function payout(id: string, wanted: Wanted): LightningRequest {
  count += 1;
  const { hash = count.toString(16).padStart(64, '0'), prefix = 'bc', fixed = true } = wanted;
  const amountMsat = wanted.sats * 1_000n;
  const paymentRequest = encodeBolt11(
    {
      prefix,
      amountMsat: fixed ? amountMsat : null,
      timestamp: START / 1_000,
      paymentHash: hash,
      paymentSecret: '11'.repeat(32),
      description: 'a recipient',
      descriptionHash: null,
      expirySeconds: 3_600,
      features: FEATURES,
    },
    NODE_KEY,
  );
  return {
    id,
    purpose: 'payout',
    chain: 'lightning',
    recipientIndex: null,
    approval: null,
    plan: {
      family: 'lightning',
      paymentRequest,
      paymentHash: hash,
      amountMsat: String(amountMsat),
      feeLimitMsat: String(wanted.feeMsat ?? 5_000n),
    },
  };
}

function state(more: object = {}): SignerState {
  const lightning = {
    fee_per_transaction: '0.00001',
    fee_per_day: '0.00002',
    payouts: { BTC_LIGHTNING: { per_transaction: '0.001', per_day: '0.0025' } },
    ...more,
  };
  const text = { network: 'mainnet', chains: { lightning }, approvers: [approver.key] };
  return {
    policy: parsePolicy('policy.json', JSON.stringify(text)),
    keys: {} as SignerState['keys'],
    log: newSignedLog(join(folder, 'signed.log')),
    now: START,
  };
}

/** Decides, and logs as the signer does before it pays. */
function signs(request: LightningRequest, current = state()): void {
  const entry = decide(request, current);
  if (entry !== null) current.log.append(entry);
}
function refuses(request: LightningRequest, reason: RegExp, current = state()): void {
  expect(() => signs(request, current)).toThrow(SigningRefusedError);
  expect(() => signs(request, current)).toThrow(reason);
}

it('lightning payouts within the limits need no approval, and the day has an end', () => {
  signs(payout('a', { sats: 100_000n }));
  signs(payout('b', { sats: 100_000n, fixed: false }));
  signs(payout('c', { sats: 50_000n }));
  refuses(
    payout('d', { sats: 1n }),
    /0.00000001 BTC_LIGHTNING to [0-9a-f]{64} is beyond the policy/,
  );
  refuses(payout('e', { sats: 100_001n }), /is beyond the policy and needs an approval/);
});

it('a request is paid for one payout, and a payout has one request', () => {
  const first = payout('a', { sats: 1_000n });
  signs(first);
  // Repeated, it is the same payment, and is logged once.
  signs(first);
  expect(state().log.entries).toHaveLength(1);
  refuses(
    payout('b', { sats: 1_000n, hash: first.plan.paymentHash }),
    /the request of b was signed before, for a/,
  );
  refuses(payout('a', { sats: 1_000n }), /a was signed before, with another request or fee/);
  const dearer = { ...first, plan: { ...first.plan, feeLimitMsat: '6000' } };
  refuses(dearer, /a was signed before, with another request or fee/);
});

it('a payout has one request, also after that ran out by the own clock: a route may hold it', () => {
  const first = payout('a', { sats: 1_000n });
  signs(first);
  const anHourLater = { ...state(), now: START + 3_600_001 };
  const reason = /a was signed before, with another request or fee/;
  refuses(payout('a', { sats: 1_000n }), reason, anHourLater);
  refuses(payout('a', { sats: 1_000n }), reason, { ...anHourLater, now: START + 365 * 86_400_000 });
  // The same plan is no second one.
  signs(first, anHourLater);
  expect(state().log.entries).toHaveLength(1);
});

it('the plan must be the one that the recipient signed', () => {
  const { plan, ...rest } = payout('a', { sats: 1_000n });
  refuses({ ...rest, plan: { ...plan, amountMsat: '900000' } }, /another hash or amount/);
  refuses({ ...rest, plan: { ...plan, paymentHash: 'ff'.repeat(32) } }, /another hash or amount/);
  const broken = `${plan.paymentRequest.slice(0, -1)}q`;
  refuses({ ...rest, plan: { ...plan, paymentRequest: broken } }, /the lightning request: /);
  refuses(payout('a', { sats: 1_000n, prefix: 'tb' }), /is not for the mainnet/);
  refuses({ ...rest, plan, purpose: 'sweep' }, /lightning has payouts only, and no sweep/);
});

it('routing fees have ceilings, of one payout and of a day', () => {
  refuses(payout('a', { sats: 1_000n, feeMsat: 1_000_001n }), /above fee_per_transaction, 0.00001/);
  signs(payout('b', { sats: 1_000n, feeMsat: 1_000_000n }));
  signs(payout('c', { sats: 1_000n, feeMsat: 1_000_000n }));
  refuses(payout('d', { sats: 1_000n, feeMsat: 1n }), /above fee_per_day, 0.00002/);
});

it('with destinations, payouts to other nodes need an approval', () => {
  const listed = payout('a', { sats: 1_000n });
  const { nodeKey } = decodeBolt11(listed.plan.paymentRequest);
  signs(listed, state({ destinations: [nodeKey.toUpperCase()] }));
  const elsewhere = state({ destinations: [OTHER_NODE] });
  refuses(payout('b', { sats: 1_000n }), /beyond the policy and needs an approval/, elsewhere);
  expect(() => state({ destinations: ['bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'] })).toThrow(
    'is not an address of lightning on the mainnet',
  );
  expect(() => state({ sweep_to: OTHER_NODE })).toThrow('lightning has no sweeps');
});

it('an approval is for one payment hash, amount and highest fee', () => {
  const big = payout('a', { sats: 500_000n });
  const recipient = { address: big.plan.paymentHash, tag: null, amount: '0.005' };
  const approved = (more: object = {}): LightningRequest['approval'] =>
    approve(
      {
        network: 'mainnet',
        chain: 'lightning',
        kind: 'BTC',
        id: 'a',
        recipients: [recipient],
        fee: '0.00001',
        expires_at: START / 1_000 + 60,
        ...more,
      },
      approver,
    );
  const wrong = [
    { recipients: [{ ...recipient, address: 'ee'.repeat(32) }] },
    { recipients: [{ ...recipient, amount: '0.05' }] },
    { id: 'b' },
  ];
  for (const more of wrong)
    refuses({ ...big, approval: approved(more) }, /the approval is not for/);
  refuses(
    { ...big, approval: approved({ fee: '0.00000001' }) },
    /above the 0.00000001 of the appro/,
  );
  signs({ ...big, approval: approved() });
});
