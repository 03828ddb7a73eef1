import { evmSendingAddress } from '@crypto-checkout/chains/evm/sender';
import type { EvmPlan } from '@crypto-checkout/chains/sender';
import { parseEther, parseTransaction, type Hex } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AttackedSigner, keysOn, type Answer } from '../../test/support/attacked-signer.ts';
import { approve, createApproverKey, type ApprovedPayout } from './approval.ts';
import { describeTransaction } from './describe.ts';
import { parsePolicy } from './policy.ts';
import type { BitcoinRequest, EvmRequest } from './request.ts';
import { openSignedLog } from './signed-log.ts';
import {
  BTC_SHOP,
  HOT,
  SHOP,
  bitcoinPayout,
  change,
  coin,
  depositAt,
  evmPayout,
  units,
} from '../../test/support/signer-requests.ts';

// A thief owns the gateway's process and database: everything that a caller can say, it can say. It
// does not have the signer's folder.

const COLD = '0x00000000000000000000000000000000c01dc01d';
const THIEF = '0x000000000000000000000000000000000000dEaD';
const BTC_THIEF = 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq';
const HOUR = 3_600_000;
const approver = createApproverKey();

const ethereum = {
  fee_per_transaction: '0.01',
  fee_per_day: '0.05',
  payouts: { ETH: { per_transaction: '1', per_day: '2' } },
  sweep_to: COLD,
};
const bitcoin = {
  fee_per_transaction: '0.001',
  fee_per_day: '0.005',
  payouts: { BTC: { per_transaction: '0.5', per_day: '1' } },
};
const policyWith = (more: object = {}) => ({
  network: 'mainnet' as const,
  chains: { ethereum: { ...ethereum, ...more }, bitcoin },
  approvers: [approver.key],
});

let signer: AttackedSigner;
beforeEach(async () => {
  signer = new AttackedSigner();
  await signer.start(policyWith());
});
afterEach(() => signer.close());

/** As good as nothing. */
const FREE_GAS = { gasLimit: '1', maxFeePerGas: '1', maxPriorityFeePerGas: '1' };

const isSigned = (answer: Answer): boolean => 'signed' in answer;
/** The answer of a refusal, which leaves no trace in the log. */
async function refused(request: object): Promise<string> {
  const before = signer.logged;
  const answer = await signer.ask(request);
  expect(signer.logged).toEqual(before);
  if ('signed' in answer) throw new Error('a signature left');
  expect([400, 403]).toContain(answer.status);
  return answer.reason;
}
async function signed(request: EvmRequest | BitcoinRequest): Promise<string> {
  const answer = await signer.ask(request);
  if (!('signed' in answer)) throw new Error(answer.reason);
  return answer.signed.raw;
}

describe('a thief of the gateway on an EVM chain', () => {
  it('gets the bytes of the plan alone', async () => {
    const raw = await signed(evmPayout('a', '0.5'));
    expect(parseTransaction(raw as Hex)).toMatchObject({
      chainId: 1,
      nonce: 0,
      to: SHOP.toLowerCase(),
      value: parseEther('0.5'),
      maxFeePerGas: 30_000_000_000n,
      gas: 21_000n,
    });
  });

  it('pays no other address than the fixed ones, by any purpose', async () => {
    await signer.start(policyWith({ destinations: [SHOP] }));
    for (const purpose of ['payout', 'refund', 'automatic_payout'] as const)
      expect(await refused(evmPayout('a', '0.1', { purpose, plan: { to: THIEF } }))).toMatch(
        /needs an approval/,
      );
    const from = { branch: 0, index: 7, address: depositAt(7) } as const;
    expect(
      await refused(evmPayout('b', '9', { purpose: 'sweep', plan: { from, to: THIEF } })),
    ).toMatch(/neither the payout address nor sweep_to/);
    const topUp = evmPayout('c', '1', {
      purpose: 'top_up',
      recipientIndex: 7,
      plan: { to: THIEF },
    });
    expect(await refused(topUp)).toMatch(/no deposit address/);
  });

  it('cannot make a contract at a fixed address or the cold address obey a memo', async () => {
    await signer.start(policyWith({ destinations: [SHOP] }));
    expect(await refused(evmPayout('a', '0.1', { plan: { memo: 'call' } }))).toMatch(
      /needs an approval/,
    );
    const from = { branch: 0, index: 7, address: depositAt(7) } as const;
    const sweep = { from, to: COLD, memo: 'call' };
    expect(await refused(evmPayout('b', '1', { purpose: 'sweep', plan: sweep }))).toBe(
      'The signer refused: a sweep has no memo',
    );
    const topUp = { to: depositAt(7), memo: 'call' };
    expect(
      await refused(evmPayout('c', '1', { purpose: 'top_up', recipientIndex: 7, plan: topUp })),
    ).toBe('The signer refused: a top_up has no memo');
  });

  it('burns no coin by long data, which costs more than the gas on Base and Celo', async () => {
    const base = { ...ethereum, payouts: { 'ETH-BASE': { per_transaction: '1', per_day: '2' } } };
    await signer.start({ ...policyWith(), chains: { base } });
    const memo = 'x'.repeat(4000);
    const onBase = (id: string, plan: Partial<EvmPlan>) =>
      evmPayout(id, '0.1', { chain: 'base', plan: { chainId: 8453, ...plan } });
    expect(await refused(onBase('a', { memo }))).toBe(
      'The signer refused: a transaction on Base has no memo',
    );
    await signed(onBase('b', {}));
  });

  it('burns no more by the fees for data than fee_per_day, however low the gas is', async () => {
    const base = { ...ethereum, payouts: {}, data_fee: '0.01' };
    await signer.start({ ...policyWith(), chains: { base } });
    const from = { branch: 0, index: 7, address: depositAt(7) } as const;
    const sweepOf = (at: number) =>
      evmPayout(`sweep-${at}`, '0', {
        purpose: 'sweep',
        chain: 'base',
        plan: { chainId: 8453, from, to: HOT, nonce: at, ...FREE_GAS },
      });
    // With the gas it is one wei above the ceiling.
    expect(await refused(sweepOf(0))).toMatch(/above fee_per_transaction/);
    await signer.start({ ...policyWith(), chains: { base: { ...base, data_fee: '0.0099' } } });
    for (let at = 0; at < 5; at += 1) expect(isSigned(await signer.ask(sweepOf(at)))).toBe(true);
    expect(await refused(sweepOf(5))).toMatch(/above fee_per_day, 0.05/);
    await signer.restart();
    expect(await refused(sweepOf(5))).toMatch(/above fee_per_day, 0.05/);
    const other = evmPayout('p', '0', {
      purpose: 'top_up',
      recipientIndex: 7,
      chain: 'base',
      plan: { chainId: 8453, to: depositAt(7), ...FREE_GAS },
    });
    expect(await refused(other)).toMatch(/above fee_per_day, 0.05/);
  });

  it.each([
    ['base', 8453, '0.0001'],
    ['celo', 42_220, '0.01'],
  ] as const)('burns by data on %s what counts by default', async (chain, chainId, fee) => {
    const limits = { fee_per_transaction: fee, fee_per_day: '1' };
    await signer.start({
      ...policyWith(),
      chains: { [chain]: { ...ethereum, ...limits, payouts: {} } },
    });
    const from = { branch: 0, index: 7, address: depositAt(7) } as const;
    const plan = { chainId, from, to: HOT, ...FREE_GAS };
    const sweep = evmPayout('a', '0', { purpose: 'sweep', chain, plan });
    expect(await refused(sweep)).toMatch(/above fee_per_transaction/);
    const without = { ...ethereum, ...limits, payouts: {}, data_fee: '0' };
    await signer.start({ ...policyWith(), chains: { [chain]: without } });
    await signed(sweep);
  });

  it('a fee for data belongs to chains that take one', () => {
    const text = JSON.stringify(policyWith({ data_fee: '0.01' }));
    expect(() => parsePolicy('policy.json', text)).toThrow(
      'The policy policy.json: chains.ethereum.data_fee: only base and celo take a fee for data beside the gas.',
    );
  });

  it('gains nothing on the payout address by sweeping everything to it', async () => {
    const from = { branch: 0, index: 7, address: depositAt(7) } as const;
    // HOT_LIMIT is the gateway's own: the thief does without it.
    await signed(evmPayout('sweep', '5000', { purpose: 'sweep', plan: { from, to: HOT } }));
    await signed(evmPayout('a', '1', { plan: { to: THIEF } }));
    await signed(evmPayout('b', '1', { plan: { nonce: 1, to: THIEF } }));
    expect(await refused(evmPayout('c', '0.001', { plan: { nonce: 2, to: THIEF } }))).toMatch(
      /needs an approval/,
    );
  });

  it('gets no more by many small payouts, other ids, restarts or a clock that is set back', async () => {
    const small = (at: number) =>
      evmPayout(`small-${at}`, '0.1', { plan: { nonce: at, to: THIEF } });
    for (let at = 0; at < 20; at += 1) expect(isSigned(await signer.ask(small(at)))).toBe(true);
    expect(await refused(small(20))).toMatch(/needs an approval/);
    await signer.restart();
    expect(await refused(small(20))).toMatch(/needs an approval/);
    signer.now -= 72 * HOUR;
    await signer.restart();
    expect(await refused(small(20))).toMatch(/needs an approval/);
    signer.now += 72 * HOUR + 23 * HOUR;
    expect(await refused(small(20))).toMatch(/needs an approval/);
    signer.now += HOUR;
    expect(isSigned(await signer.ask(small(20)))).toBe(true);
  });

  it('gets the same bytes for what was signed, also after a restart, and nothing is counted twice', async () => {
    const raw = await signed(evmPayout('a', '1'));
    await signer.restart();
    expect(await signed(evmPayout('a', '1'))).toBe(raw);
    expect(signer.logged).toHaveLength(1);
    expect(await refused(evmPayout('a', '1', { plan: { to: THIEF } }))).toMatch(
      /was signed before/,
    );
    expect(await refused(evmPayout('a', '0.9'))).toMatch(/was signed before/);
    expect(await refused(evmPayout('a', '1', { plan: { nonce: 1 } }))).toMatch(/was signed before/);
  });

  it('cannot change the purpose of an id for other limits', async () => {
    await signed(
      evmPayout('a', '0.2', { purpose: 'top_up', recipientIndex: 7, plan: { to: depositAt(7) } }),
    );
    expect(await refused(evmPayout('a', '1'))).toMatch(/was signed before/);
    const from = { branch: 0, index: 7, address: depositAt(7) } as const;
    expect(await refused(evmPayout('a', '1', { plan: { from } }))).toMatch(/was signed before/);
  });

  it('uses up no limit with a plan that no key signs', async () => {
    for (const from of [
      { branch: 1, index: 0, address: THIEF },
      { branch: 1, index: 0, address: depositAt(7) },
    ] as const)
      expect(await refused(evmPayout('a', '1', { plan: { from } }))).toBe(
        `The signer refused: no key of this signer derives the address ${from.address}`,
      );
    const from = { branch: 0, index: 8, address: depositAt(7) } as const;
    expect(
      await refused(evmPayout('b', '1', { purpose: 'sweep', plan: { from, to: HOT } })),
    ).toMatch(/no key of this signer derives/);
    expect(isSigned(await signer.ask(evmPayout('a', '1')))).toBe(true);
  });

  it('burns no more than the fees of a day', async () => {
    // Half of what is paid.
    const half = { gasLimit: '21000', maxFeePerGas: String(parseEther('0.05') / 21_000n) };
    expect(await refused(evmPayout('half', '0.1', { plan: half }))).toMatch(/fee_per_transaction/);
    const dear = { gasLimit: '21000', maxFeePerGas: String(parseEther('0.01') / 21_000n) };
    for (let at = 0; at < 5; at += 1)
      await signed(evmPayout(`dear-${at}`, '0', { plan: { ...dear, nonce: at } }));
    const sixth = { ...dear, nonce: 6 };
    expect(await refused(evmPayout('dear-6', '0', { plan: sixth }))).toMatch(/above fee_per_day/);
    const from = { branch: 0, index: 7, address: depositAt(7) } as const;
    const sweep = evmPayout('s', '1', { purpose: 'sweep', plan: { ...sixth, from, to: HOT } });
    expect(await refused(sweep)).toMatch(/above fee_per_day/);
  });

  it('cannot use an approval for anything else', async () => {
    const BIG = { address: SHOP, tag: null, amount: '40' };
    const content: ApprovedPayout = {
      network: 'mainnet',
      chain: 'ethereum',
      kind: 'ETH',
      id: 'big',
      recipients: [BIG],
      fee: '0.001',
      expires_at: signer.now / 1000 + 3600,
    };
    const approval = approve(content, approver);
    const other = approve({ ...content, network: 'testnet' }, approver);
    expect(await refused(evmPayout('big', '40', { approval: other }))).toMatch(
      /approval is not for/,
    );
    const forged = approve(content, createApproverKey());
    expect(await refused(evmPayout('big', '40', { approval: forged }))).toMatch(
      /not by an approver/,
    );
    for (const plan of [{ to: THIEF }, { units: parseEther('41').toString() }, { memo: 'call' }])
      expect(await refused(evmPayout('big', '40', { approval, plan }))).toMatch(
        /approval is not for/,
      );
    expect(await refused(evmPayout('bigger', '40', { approval }))).toMatch(/approval is not for/);
    const dear = { maxFeePerGas: '300000000000' };
    expect(await refused(evmPayout('big', '40', { approval, plan: dear }))).toMatch(/fee is above/);
    expect(isSigned(await signer.ask(evmPayout('big', '40', { approval })))).toBe(true);
    // A second time, with another number.
    expect(await refused(evmPayout('big', '40', { approval, plan: { nonce: 1 } }))).toMatch(
      /was signed before/,
    );
  });

  it('gets no signature of a main network from a signer of test networks', async () => {
    await signer.close();
    signer = new AttackedSigner();
    const base = { ...ethereum, payouts: {} };
    await signer.start({ network: 'testnet', chains: { ethereum, base } });
    const testHot = evmSendingAddress(keysOn('testnet'));
    // The keys of EVM chains are the same on both networks.
    expect(testHot).toBe(HOT);
    for (const chainId of [1, 8453, 137, 56, 42_161, 42_220, 10, 43_114])
      expect(await refused(evmPayout('a', '0.5', { plan: { chainId } }))).toMatch(
        `the chain id ${chainId} is not ethereum on the testnet`,
      );
    expect(
      await refused(evmPayout('a', '0.5', { chain: 'base', plan: { chainId: 11_155_111 } })),
    ).toMatch(/is not base on the testnet/);
    expect(
      isSigned(await signer.ask(evmPayout('a', '0.5', { plan: { chainId: 11_155_111 } }))),
    ).toBe(true);
  });
});

describe('a thief of the gateway on a Bitcoin-like chain', () => {
  it('gets no more by many small outputs in one transaction, or in many', async () => {
    const outputs = Array.from({ length: 100 }, () => ({
      address: BTC_THIEF,
      units: units(0.0051),
    }));
    expect(await refused(bitcoinPayout('a', { outputs, change: change(0.4899) }))).toMatch(
      /0.51 BTC to 100 recipients is beyond the policy/,
    );
    const one = (at: number) => ({
      inputs: [coin(at, 1)],
      outputs: [{ address: BTC_THIEF, units: units(0.25) }],
      change: change(0.7499),
    });
    for (let at = 1; at <= 4; at += 1) await signed(bitcoinPayout(`small-${at}`, one(at)));
    await signer.restart();
    expect(await refused(bitcoinPayout('small-5', one(5)))).toMatch(/needs an approval/);
  });

  it('moves the change of a second plan to no other address', async () => {
    await signed(bitcoinPayout('a'));
    const stolen = { ...change(0.4998), address: BTC_THIEF };
    expect(await refused(bitcoinPayout('a', { change: stolen }))).toMatch(/is not allowed/);
    const outputs = [
      { address: BTC_SHOP, units: units(0.5) },
      { address: BTC_THIEF, units: units(0.4998) },
    ];
    expect(await refused(bitcoinPayout('a', { outputs, change: null }))).toMatch(
      /was signed before/,
    );
    const noConflict = { inputs: [coin(2, 1)], change: change(0.4998) };
    expect(await refused(bitcoinPayout('a', noConflict))).toMatch(
      /both transactions could be mined/,
    );
  });

  it('makes no fee of the change, and none by two lies about amounts', async () => {
    expect(await refused(bitcoinPayout('a', { change: null }))).toMatch(/fee_per_transaction/);
    const inputs = [coin(1, 1), coin(2, 0.0001)];
    await signed(bitcoinPayout('a', { inputs, change: change(0.5) }));
    // The true amount of the second input, beside a lie about the first one.
    const lie = [coin(1, 0.0001), coin(2, 1)];
    expect(await refused(bitcoinPayout('b', { inputs: lie, change: change(0.5) }))).toMatch(
      /was signed before with another amount/,
    );
  });

  it('approves several recipients at once, each with its amount', async () => {
    const outputs = [
      { address: BTC_SHOP, units: units(0.4) },
      { address: BTC_THIEF, units: units(0.4) },
    ];
    const recipients = [BTC_SHOP, BTC_THIEF].map((address) => ({
      address: address.toUpperCase(),
      tag: null,
      amount: '0.4',
    }));
    const content: ApprovedPayout = {
      network: 'mainnet',
      chain: 'bitcoin',
      kind: 'BTC',
      id: 'two',
      recipients,
      fee: '0.0002',
      expires_at: signer.now / 1000 + 3600,
    };
    const approval = approve(content, approver);
    const wanted = { ...bitcoinPayout('two', { outputs, change: change(0.1999) }), approval };
    const swapped = outputs.map(({ units: amount }, at) => ({
      address: outputs[1 - at]!.address,
      units: at === 0 ? units(0.5) : amount,
    }));
    const plan = { ...wanted.plan, outputs: swapped, change: change(0.0999) };
    expect(await refused({ ...wanted, plan })).toMatch(/the approval is not for 0.9 BTC/);
    expect(isSigned(await signer.ask(wanted))).toBe(true);
  });
});

describe('a policy with limits for each purpose', () => {
  it('counts refunds and automatic payouts apart, and everything else as payouts', async () => {
    const limits = (per_day: string) => ({ ETH: { per_transaction: '1', per_day } });
    await signer.start(
      policyWith({
        refunds: { limits: limits('1') },
        automatic_payouts: { limits: limits('1'), destinations: [COLD] },
      }),
    );
    let nonce = 0;
    const by = (purpose: EvmRequest['purpose'], to: string) => {
      nonce += 1;
      return evmPayout(`${purpose}-${nonce}`, '1', { purpose, plan: { nonce, to } });
    };
    await signed(by('refund', THIEF));
    expect(await refused(by('refund', THIEF))).toMatch(/needs an approval/);
    expect(await refused(by('automatic_payout', THIEF))).toMatch(/needs an approval/);
    await signed(by('automatic_payout', COLD));
    expect(await refused(by('automatic_payout', COLD))).toMatch(/needs an approval/);
    await signed(by('payout', SHOP));
    await signed(by('payout', SHOP));
    expect(await refused(by('payout', SHOP))).toMatch(/needs an approval/);
  });

  it('without them, all purposes have one limit together', async () => {
    let nonce = 0;
    for (const purpose of ['refund', 'automatic_payout'] as const)
      await signed(evmPayout(purpose, '1', { purpose, plan: { nonce: (nonce += 1) } }));
    expect(await refused(evmPayout('a', '0.1', { plan: { nonce: 9 } }))).toMatch(
      /needs an approval/,
    );
  });
});

describe('the request itself', () => {
  it.each<[string, object]>([
    ['an id with an escape code', { id: 'a\u001b[2K' }],
    ['an unknown purpose', { purpose: 'gift' }],
    ['an unknown member', { isReviewed: true }],
    [
      'a member of the plan that is not signed',
      { plan: { ...evmPayout('a', '0.1').plan, data: '0x' } },
    ],
    ['a negative amount', { plan: { ...evmPayout('a', '0.1').plan, units: '-1' } }],
    ['a plan of another family', { chain: 'bitcoin' }],
    ['no plan', { plan: null }],
  ])('is refused with %s', async (_, more) => {
    await refused({ ...evmPayout('a', '0.1'), ...more });
  });

  it('is refused when it is too large', async () => {
    const plan = { ...evmPayout('a', '0.1').plan, memo: 'x'.repeat(9 * 1024 * 1024) };
    await refused({ ...evmPayout('a', '0.1'), plan }).catch((error: unknown) => {
      // The connection may be closed before the answer is read.
      expect(String(error)).toMatch(/ECONNRESET|EPIPE/);
    });
    expect(signer.logged).toEqual([]);
  });
});

it('a memo in an exported file cannot hide what the offline signer shows', () => {
  const memo = '\u009b2K\u202e to the shop\u2028';
  const request = evmPayout('a', '0.5', { plan: { to: THIEF, memo } });
  const policy = parsePolicy('policy.json', JSON.stringify(policyWith()));
  const shown = describeTransaction(request, policy);
  expect(shown).toContain(`to ${THIEF}, with the memo "\\u{9b}2K\\u{202e} to the shop\\u{2028}"`);
  expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
});

it('a second signer on the same log signs nothing more, and the first one neither', async () => {
  const other = openSignedLog(signer.logFile);
  await signed(evmPayout('a', '1'));
  expect(() =>
    other.append({
      at: 1,
      id: 'b',
      purpose: 'payout',
      chain: 'ethereum',
      kind: 'ETH',
      units: '1',
      fee: '1',
      approved: false,
      plan: evmPayout('b', '1').plan,
    }),
  ).toThrow(/Another process writes/);
  expect(await signer.ask(evmPayout('c', '1', { plan: { nonce: 2 } }))).toEqual({
    status: 500,
    reason: 'The signer failed',
  });
});
