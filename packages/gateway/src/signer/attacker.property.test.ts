import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { mnemonicToSeedSync } from '@scure/bip39';
import fc from 'fast-check';
import { evmSendingAddress } from '@crypto-checkout/chains/evm/sender';
import { publicKeysOf } from '@crypto-checkout/chains/keys';
import type { EvmPlan } from '@crypto-checkout/chains/sender';
import { SigningRefusedError } from '@crypto-checkout/chains/signer';
import { parseEther } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSignerClock } from './clock.ts';
import { parsePolicy } from './policy.ts';
import type { EvmRequest, SignerState } from './request.ts';
import { decide } from './rules.ts';
import type { SignedEntry } from './signed-log.ts';

// Random requests of a thief: no choice of transactions among those that were signed within a day
// can take more than the policy allows.

const words =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';
const keys = publicKeysOf(mnemonicToSeedSync(words), { network: 'mainnet' });
const HOT = evmSendingAddress(keys);
const ADDRESSES = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x000000000000000000000000000000000000dEaD',
  HOT,
] as const;
const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 23);
const PER_DAY = parseEther('2');
const FEES_PER_DAY = parseEther('0.02');
const policy = parsePolicy(
  'policy.json',
  JSON.stringify({
    network: 'mainnet',
    chains: {
      ethereum: {
        fee_per_transaction: '0.01',
        fee_per_day: '0.02',
        payouts: { ETH: { per_transaction: '1', per_day: '2' } },
      },
    },
  }),
);

let clockFile: string;
beforeAll(() => {
  clockFile = join(mkdtempSync(join(tmpdir(), 'signer-attacker-')), 'clock');
});
afterAll(() => rmSync(dirname(clockFile), { recursive: true }));

const step = fc.record({
  id: fc.integer({ min: 0, max: 4 }),
  nonce: fc.integer({ min: 0, max: 4 }),
  to: fc.integer({ min: 0, max: 2 }),
  tenths: fc.integer({ min: 0, max: 11 }),
  gwei: fc.constantFrom(30, 100, 400, 500),
  purpose: fc.constantFrom<EvmRequest['purpose']>(
    'payout',
    'refund',
    'automatic_payout',
    'sweep',
    'top_up',
  ),
  /** Time that passes before, and an error of the signer's clock. */
  hours: fc.constantFrom(0, 0, 0, 1, 7, 25),
  behind: fc.constantFrom(0, 0, 0, 12, 48, -12, -48),
  restart: fc.constantFrom(false, false, true),
});

interface Signed {
  at: number;
  plan: EvmPlan;
}

it('no choice among signed transactions takes more than a day allows', () => {
  let count = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
      const entries: SignedEntry[] = [];
      const log = { entries, append: (entry: SignedEntry) => void entries.push(entry) };
      const signed: Signed[] = [];
      let time = START;
      let wall = START;
      const open = () => openSignerClock(clockFile, { wall: () => wall, monotonic: () => time });
      rmSync(clockFile, { force: true });
      let clock = open();
      for (const { hours, behind, restart, ...wanted } of steps) {
        time += hours * 3_600_000;
        wall = time - behind * 3_600_000;
        // A start by a clock that is ahead cannot be found out.
        if (restart && behind >= 0) {
          // Every process stores its time each minute.
          clock.keep();
          clock = open();
        }
        const request = requestOf(wanted);
        const state: SignerState = { policy, keys, log, now: clock.now() };
        try {
          const entry = decide(request, state);
          if (entry === null) continue;
          log.append(entry);
          signed.push({ at: time, plan: request.plan });
          count += 1;
        } catch (error) {
          if (!(error instanceof SigningRefusedError)) throw error;
        }
      }
      for (const { at: end } of signed) {
        const day = signed.filter(({ at }) => at > end - DAY && at <= end);
        expect(most(day, ({ to, units }) => (to === HOT ? 0n : BigInt(units)))).toBeLessThanOrEqual(
          PER_DAY,
        );
        expect(
          most(day, ({ gasLimit, maxFeePerGas }) => BigInt(gasLimit) * BigInt(maxFeePerGas)),
        ).toBeLessThanOrEqual(FEES_PER_DAY);
      }
    }),
    { numRuns: 80 },
  );
  // The requests are not all refused.
  expect(count).toBeGreaterThan(80);
});

/** One transaction of each number can be mined: the most that a thief can choose. */
function most(signed: readonly Signed[], valueOf: (plan: EvmPlan) => bigint): bigint {
  const highest = new Map<number, bigint>();
  for (const { plan } of signed) {
    const value = valueOf(plan);
    if (value > (highest.get(plan.nonce) ?? 0n)) highest.set(plan.nonce, value);
  }
  return [...highest.values()].reduce((sum, one) => sum + one, 0n);
}

function requestOf({
  id,
  nonce,
  to,
  tenths,
  gwei,
  purpose,
}: Record<'id' | 'nonce' | 'to' | 'tenths' | 'gwei', number> & {
  purpose: EvmRequest['purpose'];
}): EvmRequest {
  return {
    id: `id-${id}`,
    purpose,
    chain: 'ethereum',
    recipientIndex: null,
    approval: null,
    plan: {
      family: 'evm',
      chainId: 1,
      from: { branch: 1, index: 0, address: HOT },
      nonce,
      to: ADDRESSES[to]!,
      token: null,
      units: ((parseEther('1') / 10n) * BigInt(tenths)).toString(),
      memo: null,
      gasLimit: '21000',
      maxFeePerGas: String(gwei * 1_000_000_000),
      maxPriorityFeePerGas: '1',
    },
  };
}
