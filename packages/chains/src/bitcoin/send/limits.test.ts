import { hex } from '@scure/base';
import { parseAmount, toUnits } from '@crypto-checkout/protocol/amount';
import { describe, expect, it } from 'vitest';
import { keys } from '../../../test/support/bitcoin-chain.ts';
import type { BitcoinPlan, ChainSender, PlanRequest } from '../../sender.ts';
import { scriptOf } from '../address.ts';
import { bitcoinNetwork } from '../network.ts';
import type { Coin } from './coins.ts';
import { feeRate } from './fees.ts';
import { changeAddress, ownAddress } from './own-key.ts';
import { replaceBitcoin } from './replace.ts';
import type { BitcoinSendNode, Unspent } from './send-node.ts';
import { createBitcoinSender } from './sender.ts';
import type { BitcoinWallet } from './wallet.ts';

const network = bitcoinNetwork('bitcoin', 'regtest');
/** The ceiling of Bitcoin, in satoshi per byte. */
const CEILING = 1_000;
/** An estimate of a node with a mistake, or of a hostile one. */
const ABSURD = 50_000;
const DEPTH = 6;

const coin = (digit: string, units = 100_000_000n): Coin => ({
  outpoint: `${digit.repeat(64)}:0`,
  units,
  address: ownAddress(keys, network, { branch: 0, index: 3 }, 'bech32'),
  branch: 0,
  index: 3,
  isOwnChange: false,
});

const scriptFor = (address: string): string => hex.encode(scriptOf(network.versions, address));
const shown = ({ units, address }: Coin): Unspent => ({
  confirmations: DEPTH,
  units,
  script: scriptFor(address),
  isCoinbase: false,
});

interface Answers {
  rate?: number | null;
  least?: number;
  /** Changes what the node shows of each coin. */
  change?: Partial<Unspent>;
  ancestors?: number | null;
}

/** A wallet over a node with these answers. */
function walletOf(coins: readonly Coin[], answers: Answers = {}): BitcoinWallet {
  const { rate = 5, least = 1, change = {}, ancestors = null } = answers;
  const never = () => Promise.reject(new Error('Not asked in this test'));
  const node: BitcoinSendNode = {
    height: async () => 200,
    hashAt: never,
    transactionsAt: never,
    estimateRate: async () => rate,
    relayRates: async () => ({ least, step: 1 }),
    unspent: async (outpoints) =>
      outpoints.map((outpoint) => {
        const found = coins.find((one) => one.outpoint === outpoint);
        return found === undefined ? null : { ...shown(found), ...change };
      }),
    transactionOf: never,
    ancestors: async () => ancestors,
    testAcceptance: never,
    send: never,
  };
  return {
    network,
    node,
    keys,
    coins: async () => coins,
    minConfirmations: DEPTH,
    nextChange: async () => 1,
  };
}
const senderOf = (coins: readonly Coin[], answers?: Answers): ChainSender =>
  createBitcoinSender(walletOf(coins, answers));

/** A payout of half a coin. */
const request = (more: Partial<PlanRequest> = {}): PlanRequest => ({
  id: 'payout',
  asset: 'BTC',
  outputs: [
    {
      address: changeAddress(keys, network, 70),
      tag: null,
      amount: parseAmount('0.5'),
      memo: null,
      paymentRequest: null,
    },
  ],
  preset: 'normal',
  feeRate: null,
  feeReserve: parseAmount('1'),
  minNonce: 0,
  ...more,
});

describe('the rate of a preset', () => {
  const rateOf = (answers: Answers) => feeRate(walletOf([], answers).node, 'bitcoin', 'high');

  it('is never above the ceiling of the chain, whatever the node estimates', async () => {
    expect(await rateOf({ rate: ABSURD })).toBe(CEILING);
    expect(await rateOf({ rate: CEILING - 1 })).toBe(CEILING - 1);
    expect(await rateOf({ rate: 5, least: ABSURD })).toBe(CEILING);
  });

  it.each([
    ['high', 2],
    ['normal', 6],
    ['economy', 24],
  ] as const)('%s is the estimate of the node for %i blocks', async (preset, blocks) => {
    const { node } = walletOf([]);
    const estimateRate = async (target: number) => 100 + target;
    expect(await feeRate({ ...node, estimateRate }, 'bitcoin', preset)).toBe(100 + blocks);
  });

  it('is never below what the node relays, also without an estimate', async () => {
    expect(await rateOf({ rate: 2, least: 3 })).toBe(3);
    expect(await rateOf({ rate: null, least: 900 })).toBe(900);
  });
});

describe('a plan', () => {
  it('waits while its fee is above what is held for it', async () => {
    const { fee, reserve } = await senderOf([coin('a')]).estimate(request());
    const plan = (feeReserve: bigint) => senderOf([coin('a')]).plan(request({ feeReserve }));
    expect(await plan(reserve)).toMatchObject({ type: 'plan' });
    expect(await plan(fee)).toMatchObject({ type: 'plan' });
    expect(await plan(fee - 10n ** 10n)).toMatchObject({ type: 'wait', cause: 'fee' });
  });

  it('spends no output that another plan spends', async () => {
    const sender = senderOf([coin('a'), coin('b')]);
    const first = await sender.plan(request());
    const taken = first.type === 'plan' ? first.inputs! : [];
    expect(taken).toHaveLength(1);
    const second = await sender.plan(request({ taken }));
    expect(second).toMatchObject({ type: 'plan' });
    const both = [...taken, ...(second.type === 'plan' ? second.inputs! : [])];
    expect(new Set(both).size).toBe(2);
    expect(await sender.plan(request({ taken: both }))).toMatchObject({ type: 'wait' });
  });

  it.each<[string, Partial<Unspent>]>([
    ['another script', { script: scriptFor(changeAddress(keys, network, 8)) }],
    ['another amount', { units: 99_999_999n }],
    ['fewer blocks than a deposit needs', { confirmations: DEPTH - 1 }],
    ['a coinbase that is too young', { isCoinbase: true, confirmations: 99 }],
  ])('spends no output for which the node shows %s', async (_, change) => {
    expect(await senderOf([coin('a')]).plan(request())).toMatchObject({ type: 'plan' });
    expect(await senderOf([coin('a')], { change }).plan(request())).toMatchObject({ type: 'wait' });
  });
});

describe('change before its block', () => {
  const change: Coin = {
    ...coin('a'),
    address: changeAddress(keys, network, 4),
    branch: 1,
    index: 4,
    isOwnChange: true,
  };
  const planned = (ancestors: number | null) =>
    senderOf([change], { ancestors, change: { confirmations: 0 } }).plan(request());

  it('is spent with five unconfirmed transactions behind it at most', async () => {
    expect(await planned(5)).toMatchObject({ type: 'plan' });
    expect(await planned(6)).toMatchObject({ type: 'wait' });
    expect(await planned(null)).toMatchObject({ type: 'wait' });
  });
});

describe('a replacement', () => {
  async function planned(feeRate: number | null = null): Promise<BitcoinPlan> {
    const found = await senderOf([coin('a')]).plan(request({ feeRate }));
    if (found.type !== 'plan' || found.plan.family !== 'bitcoin') throw new Error('No plan');
    return found.plan;
  }

  it('keeps every input and recipient, and its rate is below the ceiling', async () => {
    const plan = await planned();
    const wallet = walletOf([coin('a'), coin('b')], { rate: ABSURD });
    const found = await replaceBitcoin(wallet, { plans: [plan], intent: 'bump' });
    expect(found.feeRate).toBe(CEILING);
    expect(found.inputs).toEqual(expect.arrayContaining(plan.inputs.map((one) => one.outpoint)));
    expect(found.plan).toMatchObject({ outputs: plan.outputs });
  });

  it('that must pay more than the ceiling is refused, with both rates', async () => {
    const wallet = walletOf([coin('a'), coin('b')], { rate: ABSURD });
    for (const [rate, shown] of [
      [CEILING, '1001'],
      [CEILING - 0.5, '1000.6'],
      [CEILING - 0.99, '1000.1'],
    ] as const) {
      const bump = replaceBitcoin(wallet, { plans: [await planned(rate)], intent: 'bump' });
      await expect(bump).rejects.toMatchObject({
        name: 'FeeCeilingError',
        message: `A replacement must pay at least ${shown} sat/vB, and the highest fee rate of Bitcoin is ${CEILING} sat/vB.`,
      });
    }
  });

  it('reaches the ceiling, and then no other one follows', async () => {
    const wallet = walletOf([coin('a'), coin('b')], { rate: ABSURD });
    const { plan, fee } = await replaceBitcoin(wallet, {
      plans: [await planned(CEILING - 1)],
      intent: 'bump',
    });
    expect(toUnits(fee, 8)).toBeGreaterThan(0n);
    await expect(replaceBitcoin(wallet, { plans: [plan], intent: 'bump' })).rejects.toThrow(
      'the highest fee rate of Bitcoin is 1000 sat/vB',
    );
  });

  it('cancels a transaction at the ceiling once, by the step that the network asks', async () => {
    const plan = await planned(CEILING);
    const wallet = walletOf([coin('a'), coin('b')], { rate: ABSURD });
    const found = await replaceBitcoin(wallet, { plans: [plan], intent: 'cancel' });
    // BIP 125: the fee before, and the node's step for each byte.
    const before = 100_000_000n - 50_000_000n - BigInt(plan.change!.units);
    const more = toUnits(found.fee, 8) - before;
    expect(more).toBeGreaterThan(0n);
    expect(more).toBeLessThan(200n);
    await expect(
      replaceBitcoin(wallet, { plans: [plan, found.plan], intent: 'cancel' }),
    ).rejects.toThrow('the highest fee rate of Bitcoin is 1000 sat/vB');
  });
});
