import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChainAdapter, DepositTarget } from '../src/adapter.ts';
import { Observer } from './support/observer.ts';

/**
 * The facts that every adapter reports, whatever its chain: the same cases run against each adapter
 * and its own chain. `gateway/test/contract.ts` has the second half: what becomes of the money.
 */

/** A chain of its own for one case, under full control. */
export interface ContractChain {
  /** The asset that the cases pay with, and its decimals on the chain. */
  asset: string;
  decimals: number;
  /** A new adapter of this chain, as after a restart of the gateway. */
  open(): Promise<ChainAdapter>;
  /** The next deposit target. */
  target(): Promise<DepositTarget>;
  /** Broadcasts one payment and returns its txid. */
  pay(target: DepositTarget, amount: Amount): Promise<string>;
  /** Broadcasts one transaction that pays the same amount to each target, in this order. */
  payEach(targets: readonly DepositTarget[], amount: Amount): Promise<string>;
  /** Broadcasts a payment that a block contains, but that fails there. */
  payAndFail(target: DepositTarget, amount: Amount): Promise<string>;
  mine(blocks: number): Promise<void>;
  /**
   * Replaces an unconfirmed payment by one to this target, or to an address of another wallet.
   * Returns the new txid.
   */
  replace(txid: string, target: DepositTarget | null): Promise<string>;
  /** Removes a payment from every mempool. */
  drop(txid: string): Promise<void>;
  /**
   * Replaces the newest blocks; these transactions are in the mempool afterwards, others are lost.
   */
  reorganise(depth: number, kept: readonly string[]): Promise<void>;
  /** Moves the clocks of the adapter and of the chain. */
  advance(ms: number): Promise<void>;
  /** How the node fails from now on. Absent where no node stands between adapter and chain. */
  fault?(fault: NodeFault | null): Promise<void>;
  /** Opens an adapter with a node of another network. */
  openOther?(): Promise<ChainAdapter>;
  close(): Promise<void>;
}

/**
 * `behind`: its newest block is the one of now. `silent`: it does not answer. `empty`: every answer
 * about a block, a transaction or a receipt is null.
 */
export type NodeFault = 'behind' | 'silent' | 'empty';

interface Case {
  title: string;
  run(chain: ContractChain, observer: Observer): Promise<void>;
}

const ONE = parseAmount('1');
/** Looks, and the time between them, after which a payment without a trace counts as gone. */
const LOOKS = 3;
const LOOK_MS = 30_000;

async function lookForAMinute(chain: ContractChain, observer: Observer): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    await observer.look();
    await chain.advance(LOOK_MS);
  }
}

/** The smallest amount that this many decimals can express. */
const smallest = (decimals: number): Amount => 10n ** BigInt(18 - decimals);

const defineCases = <Id extends string>(cases: Record<Id, Case>): Record<Id, Case> => cases;

const CASES = defineCases({
  paid: {
    title: 'reports a payment to the last unit, with its block',
    async run(chain, observer) {
      const amount =
        parseAmount('1.23456789') - (parseAmount('1.23456789') % smallest(chain.decimals));
      const txid = await chain.pay(await observer.watch(), amount);
      await chain.mine(1);
      await observer.look();
      expect(observer.payments).toMatchObject([
        { txid, state: 'block', amount, asset: chain.asset },
      ]);
    },
  },
  smallest: {
    title: 'reports the smallest amount',
    async run(chain, observer) {
      await chain.pay(await observer.watch(), smallest(chain.decimals));
      await chain.mine(1);
      await observer.look();
      expect(observer.payments).toMatchObject([{ amount: smallest(chain.decimals) }]);
    },
  },
  largest: {
    title: 'reports an amount beyond the exact whole numbers of a double',
    async run(chain, observer) {
      const amount = parseAmount('20999999') + smallest(chain.decimals);
      await chain.pay(await observer.watch(), amount);
      await chain.mine(1);
      await observer.look();
      expect(observer.payments).toMatchObject([{ amount }]);
    },
  },
  stranger: {
    title: 'reports nothing of payments to others',
    async run(chain, observer) {
      await chain.pay(await chain.target(), ONE);
      await chain.mine(1);
      await observer.look();
      expect(observer.payments).toEqual([]);
    },
  },
  twice_in_a_block: {
    title: 'reports two payments to one address in one block',
    async run(chain, observer) {
      const target = await observer.watch();
      const txids = [await chain.pay(target, ONE), await chain.pay(target, ONE)];
      await chain.mine(1);
      await observer.look();
      expect(observer.payments.map(({ txid }) => txid).toSorted()).toEqual(txids.toSorted());
      expect(new Set(observer.payments.map(({ block }) => block?.height)).size).toBe(1);
    },
  },
  several_outputs_to_one: {
    title: 'reports each output of one transaction to one address',
    async run(chain, observer) {
      const target = await observer.watch();
      const txid = await chain.payEach([target, target, target], ONE);
      await chain.mine(1);
      await observer.look();
      expect(observer.payments).toMatchObject([{ txid }, { txid }, { txid }]);
      expect(new Set(observer.payments.map(({ key }) => key)).size).toBe(3);
    },
  },
  outputs_to_several: {
    title: 'reports the outputs of one transaction to several addresses',
    async run(chain, observer) {
      const targets = [await observer.watch(), await observer.watch()];
      await chain.payEach([targets[0]!, await chain.target(), targets[1]!], ONE);
      await chain.mine(1);
      await observer.look();
      const watchKeys = new Set(observer.payments.map(({ watchKey }) => watchKey));
      expect(observer.payments).toHaveLength(2);
      expect(watchKeys.size).toBe(2);
    },
  },
  mempool: {
    title: 'reports a payment before its block, under the same key',
    async run(chain, observer) {
      await chain.pay(await observer.watch(), ONE);
      await observer.look();
      expect(observer.payments).toMatchObject([{ state: 'mempool', block: null }]);
      const { key } = observer.payment;
      await chain.mine(3);
      await observer.look();
      expect(observer.payments).toMatchObject([{ key, state: 'block' }]);
    },
  },
  dropped: {
    title: 'reports a payment that left the mempool as gone',
    async run(chain, observer) {
      const txid = await chain.pay(await observer.watch(), ONE);
      await observer.look();
      await chain.drop(txid);
      await lookForAMinute(chain, observer);
      expect(observer.payments).toMatchObject([{ txid, state: 'gone' }]);
    },
  },
  replaced_away: {
    title: 'reports a payment that was replaced by one to another address',
    async run(chain, observer) {
      const txid = await chain.pay(await observer.watch(), ONE);
      await observer.look();
      const by = await chain.replace(txid, null);
      await chain.mine(1);
      await observer.look();
      expect(observer.payments).toMatchObject([{ txid, state: 'replaced', by }]);
    },
  },
  replaced_to_us: {
    title: 'reports the payment that replaced another one',
    async run(chain, observer) {
      const target = await observer.watch();
      const txid = await chain.pay(target, ONE);
      await observer.look();
      const by = await chain.replace(txid, target);
      await chain.mine(1);
      await observer.look();
      expect(observer.payments).toMatchObject([
        { txid, state: 'replaced', by },
        { txid: by, state: 'block' },
      ]);
    },
  },
  failed: {
    title: 'never reports the money of a payment that failed in its block',
    async run(chain, observer) {
      await chain.payAndFail(await observer.watch(), ONE);
      await observer.look();
      await chain.mine(1);
      await observer.look();
      expect(observer.payments.filter(({ state }) => state === 'block')).toEqual([]);
      expect(observer.payments.filter(({ state }) => state === 'mempool')).toEqual([]);
    },
  },
  reorganised_by_one: {
    title: 'follows a payment through a reorganisation of one block',
    run: (chain, observer) => reorganised(chain, observer, 1),
  },
  reorganised_by_three: {
    title: 'follows a payment through a reorganisation of three blocks',
    run: (chain, observer) => reorganised(chain, observer, 3),
  },
  reorganised_away: {
    title: 'reports a payment whose block and transaction are lost as gone',
    async run(chain, observer) {
      const txid = await chain.pay(await observer.watch(), ONE);
      await chain.mine(2);
      await observer.look();
      await chain.reorganise(2, []);
      await lookForAMinute(chain, observer);
      expect(observer.payments).toMatchObject([{ txid, state: 'gone' }]);
    },
  },
  reorganised_while_stopped: {
    title: 'finds a reorganisation that happened while it was stopped',
    async run(chain, observer) {
      const txid = await chain.pay(await observer.watch(), ONE);
      await chain.mine(1);
      await observer.look();
      const { block: before } = observer.payment;
      await chain.reorganise(1, [txid]);
      await chain.mine(5);
      await observer.restart();
      await observer.look();
      expect(observer.payments).toMatchObject([{ txid, state: 'block' }]);
      expect(observer.payment.block?.hash).not.toBe(before!.hash);
    },
  },
  repeated: {
    title: 'repeats the same facts from the same position',
    async run(chain, observer) {
      await chain.pay(await observer.watch(), ONE);
      await chain.mine(2);
      const { cursor } = observer;
      const first = await observer.look();
      await observer.restart(cursor);
      const second = await observer.look();
      expect(second.events).toEqual(first.events);
      expect(second.cursor).toEqual(first.cursor);
      expect((await observer.look()).events).toEqual([]);
    },
  },
  in_portions: {
    title: 'reads many blocks in portions',
    async run(chain, observer) {
      const target = await observer.watch();
      const first = await chain.pay(target, ONE);
      await chain.mine(7);
      const second = await chain.pay(target, ONE);
      await chain.mine(1);
      const looks = await observer.lookToTip(3);
      expect(looks.map(({ caughtUp }) => caughtUp)).toEqual([false, false, true]);
      expect(observer.payments.map(({ txid }) => txid)).toEqual([first, second]);
    },
  },
  blocks_by_height: {
    title: 'names the block at a height, and none above the newest one',
    async run(chain, observer) {
      await chain.mine(2);
      const { cursor } = await observer.look();
      const adapter = await chain.open();
      expect(await adapter.blockAt(cursor.height)).toEqual({
        height: cursor.height,
        hash: cursor.hash,
      });
      expect(await adapter.blockAt(cursor.height + 1)).toBeNull();
      expect(await adapter.health()).toMatchObject({ ok: true, tip: cursor.height });
    },
  },
  behind: {
    title: 'loses nothing while its node falls behind',
    run: (chain, observer) => faulty(chain, observer, 'behind'),
  },
  silent: {
    title: 'loses nothing while its node is silent',
    run: (chain, observer) => faulty(chain, observer, 'silent'),
  },
  empty: {
    title: 'loses nothing while its node answers with null',
    run: (chain, observer) => faulty(chain, observer, 'empty'),
  },
  other_network: {
    title: 'does not start with a node of another network',
    async run(chain) {
      await expect(chain.openOther!()).rejects.toMatchObject({ name: 'ConfigError' });
    },
  },
});

export type FactCase = keyof typeof CASES;

async function reorganised(chain: ContractChain, observer: Observer, depth: number): Promise<void> {
  const txid = await chain.pay(await observer.watch(), ONE);
  await chain.mine(depth);
  await observer.look();
  const { key, block: before } = observer.payment;
  await chain.reorganise(depth, [txid]);
  await observer.look();
  await chain.mine(1);
  await observer.look();
  expect(observer.payments).toMatchObject([{ key, txid, state: 'block' }]);
  expect(observer.payment.block?.hash).not.toBe(before!.hash);
}

/** One payment is known before the fault, and another one is made while it lasts. */
async function faulty(chain: ContractChain, observer: Observer, fault: NodeFault): Promise<void> {
  const targets = [await observer.watch(), await observer.watch()] as const;
  const before = await chain.pay(targets[0], ONE);
  await chain.mine(1);
  await observer.look();
  await chain.fault!(fault);
  const during = await chain.pay(targets[1], ONE);
  await chain.mine(2);
  for (let look = 0; look < LOOKS; look += 1) {
    // Silence is an error of this look, and changes nothing.
    await observer
      .look()
      .catch((error: unknown) => expect(error).toMatchObject({ name: 'UnavailableError' }));
    await chain.advance(LOOK_MS);
    expect(observer.payments).toMatchObject([{ txid: before, state: 'block' }]);
  }
  await chain.fault!(null);
  await observer.look();
  expect(observer.payments).toMatchObject([
    { txid: before, state: 'block' },
    { txid: during, state: 'block' },
  ]);
}

export interface ContractOptions {
  create(): Promise<ContractChain>;
  /** Cases that this chain cannot have, with the reason. */
  except?: Partial<Record<FactCase, string>>;
}

/** Runs every case against a new chain. */
export function describeFacts(name: string, { create, except = {} }: ContractOptions): void {
  describe(`${name}: the facts of an adapter`, () => {
    let chain: ContractChain;
    let observer: Observer;
    beforeEach(async () => {
      chain = await create();
      observer = await Observer.begin(chain);
    });
    afterEach(() => chain.close());
    for (const [id, { title, run }] of Object.entries(CASES)) {
      const reason = except[id as FactCase];
      if (reason === undefined) it(title, () => run(chain, observer));
      else it.skip(`${title} (${reason})`, () => {});
    }
  });
}
