import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EvmPlan } from '@crypto-checkout/chains/sender';
import { SigningRefusedError } from '@crypto-checkout/chains/signer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { approve, createApproverKey, type ApprovedPayout } from './approval.ts';
import { readPolicy } from './policy.ts';
import type { EvmRequest, SignerState, SigningRequest } from './request.ts';
import { decide } from './rules.ts';
import { newSignedLog } from '../../test/support/new-signed-log.ts';
import {
  HOT,
  SHOP,
  depositAt,
  evmPayout,
  keys,
  type EvmChanges,
} from '../../test/support/signer-requests.ts';

const THIEF = '0x000000000000000000000000000000000000dEaD';
const COLD = '0x00000000000000000000000000000000c01dc01d';
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const START = Date.UTC(2026, 10, 23);
const HOUR = 3_600_000;
const approver = createApproverKey();

let folder: string;
let now: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'signer-'));
  now = START;
  writePolicy({});
});
afterEach(() => rmSync(folder, { recursive: true }));

function writePolicy(more: object): void {
  const ethereum = {
    fee_per_transaction: '0.01',
    fee_per_day: '0.02',
    payouts: {
      ETH: { per_transaction: '1', per_day: '2' },
      ETH_USDT: { per_transaction: '1000', per_day: '1500' },
    },
    sweep_to: COLD,
    ...more,
  };
  const policy = { network: 'mainnet', chains: { ethereum }, approvers: [approver.key] };
  writeFileSync(join(folder, 'policy.json'), JSON.stringify(policy));
}

const state = (): SignerState => ({
  policy: readPolicy(join(folder, 'policy.json')),
  keys,
  log: newSignedLog(join(folder, 'signed.log')),
  now,
});

let nonce = 0;
/** A payout of ETH to a shop's address, with the next nonce. */
function payout(id: string, amount: string, { plan, ...more }: EvmChanges = {}): EvmRequest {
  nonce += 1;
  return evmPayout(id, amount, { ...more, plan: { nonce, ...plan } });
}

/** Decides, and logs as the signer does before it signs. */
function signs(request: SigningRequest): boolean {
  const current = state();
  const entry = decide(request, current);
  if (entry !== null) current.log.append(entry);
  return true;
}
const refuses = (request: SigningRequest, reason: RegExp): void => {
  expect(() => signs(request)).toThrow(SigningRefusedError);
  expect(() => signs(request)).toThrow(reason);
};

describe('payouts', () => {
  it('within the limits are signed without an approval', () => {
    expect(signs(payout('a', '1'))).toBe(true);
    const usdt = { token: USDT, units: '1000000000' };
    expect(signs(payout('b', '0', { plan: usdt }))).toBe(true);
  });

  it('beyond the limit of one, of a day, or of a kind without limits are refused', () => {
    refuses(payout('a', '1.000000000000000001'), /beyond the policy and needs an approval/);
    signs(payout('b', '1'));
    signs(payout('c', '1'));
    refuses(payout('d', '0.000000000000000001'), /needs an approval/);
    const dai = { token: '0x6B175474E89094C44Da98b954EedeAC495271d0F', units: '1' };
    refuses(payout('e', '0', { plan: dai }), /needs an approval/);
  });

  it('count for 24 hours; a clock that steps back does not begin a day anew', () => {
    signs(payout('a', '1'));
    signs(payout('b', '1'));
    now -= 48 * HOUR;
    refuses(payout('c', '1'), /needs an approval/);
    now = START + 24 * HOUR - 1;
    refuses(payout('c', '1'), /needs an approval/);
    now = START + 24 * HOUR;
    expect(signs(payout('c', '1'))).toBe(true);
  });

  it('that were signed while the clock was set back count from the newest entry on', () => {
    signs(payout('a', '1'));
    now -= 48 * HOUR;
    signs(payout('b', '1'));
    now = START + 24 * HOUR - 1;
    refuses(payout('c', '1'), /needs an approval/);
  });

  it('to other addresses than the fixed ones need an approval', () => {
    writePolicy({ destinations: [SHOP] });
    expect(signs(payout('a', '0.5'))).toBe(true);
    refuses(payout('b', '0.5', { plan: { to: THIEF } }), /needs an approval/);
  });

  it('cannot leave from a deposit address, and not by another name', () => {
    const from = { branch: 0, index: 3, address: depositAt(3) } as const;
    refuses(payout('a', '0.5', { plan: { from } }), /a payout cannot leave from/);
    refuses(payout('a', '0.5', { purpose: 'sweep' }), /a sweep cannot leave from/);
    refuses(payout('a', '0.5', { purpose: 'top_up' }), /no deposit address/);
  });

  it('cannot be on another chain, in an unknown token, or call a token', () => {
    refuses(payout('a', '0.5', { chain: 'base' }), /does not name the chain base/);
    refuses(payout('a', '0.5', { plan: { chainId: 8453 } }), /chain id 8453/);
    refuses(payout('a', '0', { plan: { token: THIEF, units: '1' } }), /does not know the token/);
    refuses(payout('a', '0.5', { plan: { to: USDT } }), /contract of a token/);
    refuses(payout('a', '0', { plan: { memo: 'call' } }), /cannot have a memo/);
  });
});

describe('one id', () => {
  it('is signed again as it was, also beyond the limits, and counts once', () => {
    const request = payout('a', '1');
    signs(request);
    signs(payout('b', '1'));
    expect(decide(request, state())).toBeNull();
  });

  it('has no second plan with another recipient, amount or number', () => {
    const first = payout('a', '0.5');
    signs(first);
    const changed = (plan: Partial<EvmPlan>): EvmRequest => ({
      ...first,
      plan: { ...first.plan, ...plan },
    });
    refuses(changed({ to: THIEF }), /was signed before/);
    refuses(changed({ units: '1' }), /was signed before/);
    refuses(changed({ nonce: first.plan.nonce + 1 }), /was signed before/);
    refuses(changed({ memo: 'x' }), /was signed before/);
  });

  it('can get a higher fee or be cancelled, because one of them can be mined', () => {
    const first = payout('a', '1');
    signs(first);
    const bumped = { ...first, plan: { ...first.plan, maxFeePerGas: '60000000000' } };
    expect(signs(bumped)).toBe(true);
    const cancelled = { ...first, plan: { ...first.plan, to: HOT, units: '0' } };
    expect(signs(cancelled)).toBe(true);
    expect(signs(payout('b', '1'))).toBe(true);
  });
});

describe('fees', () => {
  it('above the ceiling of one transaction or of a day are refused', () => {
    refuses(
      payout('a', '0.1', { plan: { gasLimit: '5000000' } }),
      /above fee_per_transaction, 0.01/,
    );
    // Half of the amount.
    const half = { gasLimit: '50000', maxFeePerGas: '1000000000000' };
    refuses(payout('half', '0.1', { plan: half }), /the fee of 0.05 is above fee_per_transaction/);
    const dear = { gasLimit: '21000', maxFeePerGas: '450000000000' };
    signs(payout('b', '0.1', { plan: dear }));
    signs(payout('c', '0.1', { plan: dear }));
    refuses(payout('d', '0.1', { plan: dear }), /above fee_per_day, 0.02/);
  });
});

describe('sweeps and top-ups', () => {
  const from = { branch: 0, index: 7, address: depositAt(7) } as const;

  it('go to own addresses or the cold address only', () => {
    const sweep = (to: string) =>
      payout(`sweep ${to}`, '50', { purpose: 'sweep', plan: { from, to } });
    expect(signs(sweep(HOT))).toBe(true);
    expect(signs(sweep(COLD))).toBe(true);
    refuses(sweep(THIEF), /neither the payout address nor sweep_to/);
  });

  it('a top-up goes to the deposit address that the index derives', () => {
    const topUp = (to: string, recipientIndex: number | null) =>
      payout(`top ${to}`, '0.01', { purpose: 'top_up', recipientIndex, plan: { to } });
    expect(signs(topUp(depositAt(7), 7))).toBe(true);
    refuses(topUp(depositAt(8), 7), /no deposit address/);
    refuses(topUp(THIEF, null), /no deposit address/);
  });
});

describe('an approval', () => {
  const BIG = { address: SHOP, tag: null, amount: '40' };
  const approved = (more: Partial<ApprovedPayout> = {}, key = approver): EvmRequest => {
    const what: ApprovedPayout = {
      network: 'mainnet',
      chain: 'ethereum',
      kind: 'ETH',
      id: 'big',
      recipients: [BIG],
      fee: '0.005',
      expires_at: Math.floor(START / 1000) + 3600,
      ...more,
    };
    return payout('big', '40', { approval: approve(what, key) });
  };

  it('allows exactly one payout beyond the limits, which does not count for the day', () => {
    expect(signs(approved())).toBe(true);
    signs(payout('a', '1'));
    expect(signs(payout('b', '1'))).toBe(true);
  });

  it.each<[string, Partial<ApprovedPayout>]>([
    ['network', { network: 'testnet' }],
    ['chain', { chain: 'base' }],
    ['kind', { kind: 'ETH_USDT' }],
    ['id', { id: 'other' }],
    ['recipient', { recipients: [{ ...BIG, address: THIEF }] }],
    ['tag', { recipients: [{ ...BIG, tag: '7' }] }],
    ['amount', { recipients: [{ ...BIG, amount: '39' }] }],
    ['number of recipients', { recipients: [BIG, BIG] }],
  ])('for another %s is refused', (_, more) => {
    refuses(approved(more), /not for 40 ETH/);
  });

  it('of an unknown approver, an expired one, and one with a lower fee are refused', () => {
    refuses(approved({}, createApproverKey()), /not by an approver/);
    refuses(approved({ fee: '0.0001' }), /the fee is above the 0.0001 of the approval/);
    now += 2 * HOUR;
    refuses(approved(), /has expired/);
  });

  it('cannot be changed afterwards', () => {
    const request = approved();
    const approval = { ...request.approval!, fee: '0.01' };
    refuses({ ...request, approval }, /not for 40 ETH/);
  });
});

describe('the log', () => {
  it('is continued after a crash in the middle of a line, whose signature has not left', () => {
    signs(payout('a', '1'));
    const path = join(folder, 'signed.log');
    const whole = readFileSync(path, 'utf8');
    writeFileSync(path, `${whole}{"at":17`);
    signs(payout('b', '1'));
    expect(readFileSync(path, 'utf8').startsWith(whole)).toBe(true);
    refuses(payout('c', '1'), /needs an approval/);
  });

  it('of two signers on one folder is refused, because each would count for itself', () => {
    const [one, other] = [state(), state()];
    one.log.append(decide(payout('a', '1'), one)!);
    expect(() => other.log.append(decide(payout('b', '1'), other)!)).toThrow(
      /Another process writes/,
    );
    expect(() => one.log.append(decide(payout('c', '1'), one)!)).toThrow(/Another process writes/);
  });

  it('that is damaged elsewhere ends the start', () => {
    signs(payout('a', '1'));
    const path = join(folder, 'signed.log');
    writeFileSync(path, `garbage\n${readFileSync(path, 'utf8')}`);
    expect(() => state()).toThrow(/is damaged in line 1: restore it from a backup/);
  });
});

describe('the policy', () => {
  it('of the documentation is valid', () => {
    const page = new URL('../../../../docs/run/keys-and-custody.md', import.meta.url);
    const [, example = ''] = /```json\n([\s\S]*?)```/.exec(readFileSync(page, 'utf8')) ?? [];
    writeFileSync(join(folder, 'policy.json'), example);
    expect(signs(payout('a', '0.5'))).toBe(true);
    refuses(payout('b', '0.6'), /needs an approval/);
  });

  it.each<[RegExp, object]>([
    [/has no kind ETH_USDX/, { payouts: { ETH_USDX: { per_transaction: '1', per_day: '1' } } }],
    [/fee_per_day/, { fee_per_day: 0.1 }],
    [/destinations/, { destinations: [] }],
    [/payout is no member of a policy/, { payout: {} }],
  ])('with a mistake ends the start: %s', (message, more) => {
    writePolicy(more);
    expect(() => state()).toThrow(message);
  });
});
