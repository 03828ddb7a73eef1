import { parseAmount } from '@crypto-checkout/protocol/amount';
import { hex } from '@scure/base';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { scriptOf } from '@crypto-checkout/chains/bitcoin/address';
import { bitcoinNetwork } from '@crypto-checkout/chains/bitcoin/network';
import { UnavailableError } from '@crypto-checkout/chains/error';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import {
  startBitcoinPayer,
  type BitcoinChain,
  type BitcoinPayer,
} from '../../../chains/test/support/bitcoin-chain.ts';
import type { RpcAnswer } from '../../../chains/test/support/rpc-proxy.ts';
import { describeOnLitecoind } from '../../../chains/test/support/litecoind.ts';
import { startBitcoinMoney } from '../../test/support/bitcoin-money.ts';
import { serveBitcoinEach } from '../../test/support/bitcoin-bench.ts';
import { killAtEachStep } from '../../test/support/kill.ts';
import { Money } from '../../test/support/money.ts';
import { processPayouts } from '../payout/sending/process.ts';
import { nextChangeIndex } from './coin-store.ts';
import { findOutgoing } from './sending/outgoing-store.ts';
import { sendPlanned } from './sending/send.ts';

const refusal = (reason: string): RpcAnswer => ({
  result: [{ txid: 'a'.repeat(64), allowed: false, 'reject-reason': reason }],
});
/** First answers about a transaction that no node ever relays. */
const FIRST_ANSWERS: Readonly<Record<string, () => RpcAnswer>> = {
  'no answer': () => {
    throw new Error('The node is silent');
  },
  'an error': () => ({ error: { code: -32_603, message: 'internal error' } }),
  'a refusal for now': () => refusal('mempool min fee not met'),
};

describeOnLitecoind('a payout whose output the network refuses', () => {
  let payer: BitcoinPayer;
  let money: Money;
  let change: BitcoinChain['change'];
  /** The first free change key. */
  let before: number;
  serveBitcoinEach((bench) => ({ payer, money, change } = bench));
  beforeEach(async () => {
    before = await nextChangeIndex(money.shop.context.db, 'bitcoin');
  });

  interface TwoPayouts {
    good: string;
    /** Address of the good one. */
    paid: string;
    bad: string;
    /** From now on the node refuses the output of the bad one for good. */
    refuse(): void;
  }

  async function twoPayouts(): Promise<TwoPayouts> {
    const paid = money.chain.stranger();
    const good = await money.payOut(paid, '0.5');
    const address = money.chain.stranger();
    const bad = await money.payOut(address, '0.25');
    const { versions } = bitcoinNetwork('bitcoin', 'regtest');
    const script = hex.encode(scriptOf(versions, address));
    return {
      good: good.id,
      paid,
      bad: bad.id,
      refuse: () =>
        change((call, answer) =>
          call.method === 'testmempoolaccept' && JSON.stringify(call.params).includes(script)
            ? refusal('dust')
            : answer,
        ),
    };
  }

  async function requireOnlyGood({ good, bad, paid }: TwoPayouts): Promise<void> {
    expect(await money.shop.payout(bad)).toMatchObject({ status: 'failed' });
    await money.work(money.final);
    await money.work();
    expect(await money.shop.payout(good)).toMatchObject({ status: 'complete' });
    expect(await money.shop.holdings('BTC')).toMatchObject({ reserved: '0' });
    expect(await money.chain.held(paid)).toBe(parseAmount('0.5'));
    // The failed transactions leave no gap, in which other wallets would find no coins.
    const { rows } = await sql<{ index: string }>`
      select plan -> 'change' ->> 'index' as index from outgoing_attempt t join outgoing o on o.id = t.outgoing_id
      where o.result = 'ok'`.execute(money.shop.context.db);
    expect(rows).toEqual([{ index: String(before) }]);
  }

  it.each(Object.keys(FIRST_ANSWERS))(
    'fails alone, also when the first answer of the node was: %s',
    async (first) => {
      const two = await twoPayouts();
      change((call, answer) =>
        call.method === 'testmempoolaccept' ? FIRST_ANSWERS[first]!() : answer,
      );
      await money.work();
      await money.work();
      for (const id of [two.good, two.bad])
        expect(await money.shop.payout(id)).toMatchObject({ status: 'new' });
      two.refuse();
      for (let round = 0; round < 3; round += 1) await money.work();
      expect(await money.shop.payout(two.good)).toMatchObject({ status: 'pending' });
      await requireOnlyGood(two);
    },
    120_000,
  );

  it('is refused at once when its address is of another test network', async () => {
    // Of BIP 173.
    const address = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';
    await expect(money.payOut(address, '0.5')).rejects.toMatchObject({
      reason: 'InvalidAddress',
      errors: [
        {
          field: 'recipients.0.address',
          message: `"${address}" is not an address of the node's network`,
        },
      ],
    });
    change(() => {
      throw new Error('The node is silent');
    });
    await expect(money.payOut(money.chain.stranger(), '0.5')).rejects.toThrow(UnavailableError);
  }, 60_000);

  it('stays unknown once a node can have the transaction', async () => {
    const two = await twoPayouts();
    change((call, answer) => {
      if (call.method !== 'sendrawtransaction') return answer;
      throw new Error('The node is silent');
    });
    await money.work();
    await payer.expire();
    two.refuse();
    for (let round = 0; round < 3; round += 1) await money.work();
    for (const id of [two.good, two.bad])
      expect(await money.shop.payout(id)).not.toMatchObject({ status: 'failed' });
    change((_, answer) => answer);
    // The pause after the refusals.
    await money.shop.advance(60);
    await money.work();
    await money.work(money.final);
    await money.work();
    for (const id of [two.good, two.bad])
      expect(await money.shop.payout(id)).toMatchObject({ status: 'complete' });
  }, 120_000);

  it('is not sent by a process that lost its lease to one that stored the refusal', async () => {
    const { context } = money.shop;
    const senders = context.senders as Map<string, ChainSender>;
    const sender = senders.get('bitcoin')!;
    const recipient = money.chain.stranger();
    const { id } = await money.payOut(recipient, '0.5');
    let isFirst = true;
    senders.set('bitcoin', {
      ...sender,
      async test(raw) {
        const answer = await sender.test!(raw);
        if (!isFirst) return answer;
        isFirst = false;
        const refusing = { ...sender, test: async () => ({ result: 'failed', reason: 'dust' }) };
        const planned = await findOutgoing(context.db, id);
        const sent = { id, purpose: 'payout' as const };
        const outcome = await sendPlanned(context, refusing as ChainSender, sent, planned!);
        expect(outcome).toMatchObject({ type: 'refused' });
        return answer;
      },
    });
    for (let round = 0; round < 2; round += 1) await money.work();
    expect(await payer.node.call('getrawmempool')).toEqual([]);
    expect(await money.shop.payout(id)).toMatchObject({ status: 'failed' });
    await money.work(1);
    expect(await money.chain.held(recipient)).toBe(0n);
  }, 120_000);

  it('fails alone, at whatever step a process dies', async () => {
    const two = await twoPayouts();
    two.refuse();
    await killAtEachStep(money.shop.context, processPayouts);
    for (let round = 0; round < 2; round += 1) await money.work();
    await requireOnlyGood(two);
  }, 300_000);
});

describeOnLitecoind('a node without a test before the broadcast, as of Dogecoin', () => {
  let payer: BitcoinPayer;
  let money: Money;
  beforeAll(async () => {
    // It refuses an output of less than 0.36 coins.
    payer = await startBitcoinPayer(['-dustrelayfee=2']);
  });
  afterAll(() => payer?.stop());
  beforeEach(async () => {
    money = new Money(await startBitcoinMoney(payer, 'dogecoin'));
  }, 60_000);
  afterEach(async () => {
    await money.shop.close();
    await money.chain.close();
  });

  it('that refuses one output fails its payout, and holds no other', async () => {
    const paid = [money.chain.stranger(), money.chain.stranger()];
    const good = [await money.payOut(paid[0]!, '0.5'), await money.payOut(paid[1]!, '0.75')];
    const bad = await money.payOut(money.chain.stranger(), '0.25');
    for (let round = 0; round < 3; round += 1) await money.work();
    expect(await money.shop.payout(bad.id)).toMatchObject({
      status: 'failed',
      error:
        'The node refuses it: an output of 0.25 is dust for this node (dustrelayfee); pay out more',
    });
    for (const { id } of good)
      expect(await money.shop.payout(id)).toMatchObject({ status: 'pending' });
    await money.work(money.final);
    await money.work();
    for (const { id } of good)
      expect(await money.shop.payout(id)).toMatchObject({ status: 'complete' });
    expect(await money.chain.held(paid[0]!)).toBe(parseAmount('0.5'));
    expect(await money.chain.held(paid[1]!)).toBe(parseAmount('0.75'));
    expect(await money.shop.holdings('DOGE')).toMatchObject({ reserved: '0' });
  }, 120_000);
});
