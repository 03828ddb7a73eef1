import { feeOfPlan } from '@crypto-checkout/chains/bitcoin/send/look-up';
import { createSigner, SigningRefusedError } from '@crypto-checkout/chains/signer';
import type { BitcoinPlan, SignedTransaction } from '@crypto-checkout/chains/sender';
import { fromUnits, parseAmount, toUnits } from '@crypto-checkout/protocol/amount';
import { mnemonicToSeedSync } from '@scure/bip39';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  startBitcoinPayer,
  words,
  type BitcoinChain,
  type BitcoinPayer,
} from '../../../chains/test/support/bitcoin-chain.ts';
import { describeOnLitecoind } from '../../../chains/test/support/litecoind.ts';
import { startBitcoinMoney } from '../../test/support/bitcoin-money.ts';
import { Money } from '../../test/support/money.ts';
import { unspentCoins } from '../engine/coin-store.ts';
import { WATCH_ONLY } from '../engine/open-keys.ts';
import { discardUnsigned, listUnsigned, saveSignature } from '../engine/sending/unsigned.ts';
import { consolidateCoins } from './consolidate-coins.ts';
import { bitcoinAttempts } from '../../test/support/bitcoin-bench.ts';
import { killAtEachStep } from '../../test/support/kill.ts';

const signer = createSigner(mnemonicToSeedSync(words));
const INVOICES = 12;
/** The wallet has 17 coins, and ten of them stay as they are. */
const SMALL = 7;

describeOnLitecoind('small coins of a wallet', () => {
  let payer: BitcoinPayer;
  let money: Money;
  let change: BitcoinChain['change'];
  beforeAll(async () => {
    payer = await startBitcoinPayer();
  });
  afterAll(() => payer?.stop());
  afterEach(async () => {
    await money.shop.close();
    await money.chain.close();
  });

  async function open(
    keys?: Parameters<typeof startBitcoinMoney>[2],
    coin = '0.01',
  ): Promise<void> {
    const chain = await startBitcoinMoney(payer, 'bitcoin', keys);
    ({ change } = chain);
    money = new Money(chain);
    Object.assign(money.shop.context.config, {
      consolidateCoins: SMALL,
      consolidateRates: { bitcoin: 4, litecoin: 0, dogecoin: 0 },
    });
    const targets = [];
    for (let at = 0; at < INVOICES; at += 1)
      targets.push(await money.target(await money.invoice(coin)));
    await money.chain.payEach(targets, parseAmount(coin));
    await money.mine(money.final);
  }

  async function work(blocks = 0): Promise<void> {
    if (blocks > 0) await money.mine(blocks);
    await consolidateCoins(money.shop.context, new AbortController().signal);
    await money.look();
  }

  const attempts = () => bitcoinAttempts(money);

  const rows = async (): Promise<{ status: string; fee: string }[]> =>
    (
      await sql<{ status: string; fee: string }>`
        select status, trim_scale(fee)::text as fee from coin_consolidation order by created_at`.execute(
        money.shop.context.db,
      )
    ).rows;

  const sumOf = async (): Promise<bigint> =>
    (await unspentCoins(money.shop.context.db, 'bitcoin')).reduce(
      (sum, { units }) => sum + units,
      0n,
    );

  /** The books and the coins lost the fee, and nothing else. */
  async function requireOnlyFee(before: { available: string }, coins: bigint): Promise<void> {
    const [sent, ...more] = await attempts();
    expect(more).toEqual([]);
    const { inputs, outputs, change: joined } = sent!.plan;
    expect([inputs.length, outputs]).toEqual([SMALL, []]);
    const fee = parseAmount('0.01') * BigInt(SMALL) - BigInt(joined!.units) * 10n ** 10n;
    const { status, fee: booked } = (await rows()).at(-1)!;
    expect([status, parseAmount(booked)]).toEqual(['complete', fee]);
    const { available, reserved } = await money.shop.holdings('BTC');
    expect([parseAmount(before.available) - parseAmount(available), reserved]).toEqual([fee, '0']);
    expect(coins - (await sumOf())).toBe(toUnits(fee, 8));
    expect(await unspentCoins(money.shop.context.db, 'bitcoin')).toHaveLength(11);
  }

  it('are joined while the fee is low, and the books lose the fee alone', async () => {
    await open();
    const [before, coins] = [await money.shop.holdings('BTC'), await sumOf()];
    await work();
    await work();
    expect(await rows()).toMatchObject([{ status: 'sending' }]);
    // A payout would have to wait for the low fee of this one.
    const [{ txid }] = (await attempts()) as [SignedTransaction & { plan: BitcoinPlan }];
    expect(await payer.node.call('getrawmempool')).toContain(txid);
    const free = await unspentCoins(money.shop.context.db, 'bitcoin');
    expect(free.filter(({ outpoint }) => outpoint.startsWith(txid))).toEqual([]);
    await work(money.final);
    await work();
    await requireOnlyFee(before, coins);
    const recipient = money.chain.stranger();
    await money.payOut(recipient, '10.05');
    await money.work();
    await money.work(money.final);
    await money.work();
    expect(await money.chain.held(recipient)).toBe(parseAmount('10.05'));
  }, 120_000);

  it('stay apart while the fee is high, while there are few, and with a rate of zero', async () => {
    await open();
    const { config } = money.shop.context;
    config.consolidateCoins = SMALL + 1;
    await work();
    config.consolidateCoins = SMALL;
    change((call, answer) =>
      call.method === 'estimatesmartfee' ? { result: { feerate: 0.00005, blocks: 24 } } : answer,
    );
    await work();
    change((_, answer) => answer);
    Object.assign(config, { consolidateRates: { bitcoin: 0, litecoin: 4, dogecoin: 1000 } });
    await work();
    expect(await rows()).toEqual([]);
    expect(await attempts()).toEqual([]);
  }, 120_000);

  it('that are not worth their fee are no question to the node', async () => {
    await open(undefined, '0.001');
    const { config } = money.shop.context;
    Object.assign(config, { consolidateRates: { bitcoin: 100_000, litecoin: 0, dogecoin: 0 } });
    let asked = 0;
    change((call, answer) => {
      if (call.method === 'gettxout') asked += 1;
      return call.method === 'estimatesmartfee'
        ? { result: { feerate: 0.01, blocks: 24 } }
        : answer;
    });
    await work();
    expect(await rows()).toEqual([]);
    expect(asked).toBe(0);
  }, 120_000);

  describe('whose transaction waits while the network fee rises', () => {
    /** Its fee is below the node's estimate, for more than six hours. */
    async function outbid(): Promise<{ before: { available: string }; first: bigint }> {
      await open();
      const before = await money.shop.holdings('BTC');
      await work();
      await work();
      const first = parseAmount((await rows())[0]!.fee);
      change((call, answer) =>
        call.method === 'estimatesmartfee' ? { result: { feerate: 0.0001, blocks: 24 } } : answer,
      );
      await work();
      expect(await attempts()).toHaveLength(1);
      money.shop.context.clock.advance(6 * 3_600_000 + 60_000);
      return { before, first };
    }

    /** The books lost this fee, and every coin of the wallet can be spent. */
    async function requireFee(before: { available: string }, fee: bigint): Promise<void> {
      await work(money.final);
      await work();
      const [{ status, fee: booked }] = (await rows()) as [{ status: string; fee: string }];
      expect([status, parseAmount(booked)]).toEqual(['complete', fee]);
      const { available, reserved } = await money.shop.holdings('BTC');
      expect([parseAmount(before.available) - parseAmount(available), reserved]).toEqual([
        fee,
        '0',
      ]);
      expect(await unspentCoins(money.shop.context.db, 'bitcoin')).toHaveLength(11);
    }

    const feeOf = ({ plan }: { plan: BitcoinPlan }): bigint => fromUnits(feeOfPlan(plan), 8);

    it('are sent again for a higher fee, which the wallets hold', async () => {
      const { before, first } = await outbid();
      await work();
      await work();
      const [, bumped, ...more] = await attempts();
      expect(more).toEqual([]);
      expect(await payer.node.call('getrawmempool')).toContain(bumped!.txid);
      expect(feeOf(bumped!)).toBeGreaterThan(first);
      await requireFee(before, feeOf(bumped!));
    }, 120_000);

    it('cost the first fee when the first transaction is the one in the block', async () => {
      const { before, first } = await outbid();
      await payer.mine(1);
      // The gateway does not see the block before it raises the fee.
      const height = (await payer.node.call<number>('getblockcount')) - 1;
      change((call, answer) => {
        if (call.method === 'gettxout') return { result: null };
        if (call.method === 'getblockcount') return { result: height };
        if (call.method === 'estimatesmartfee') return { result: { feerate: 0.0001, blocks: 24 } };
        if (call.method === 'sendrawtransaction') return { error: { code: -26, message: 'busy' } };
        return answer;
      });
      await work();
      expect(await attempts()).toHaveLength(2);
      expect(parseAmount((await rows())[0]!.fee)).toBeGreaterThan(first);
      change((_, answer) => answer);
      await requireFee(before, first);
    }, 120_000);

    it('raise an alarm while the fee is too high for them', async () => {
      const { before, first } = await outbid();
      money.shop.context.config.payoutFeeRise = 1;
      await work();
      expect(await attempts()).toHaveLength(1);
      const { rows: alarms } = await sql<{ reason: string }>`select reason from alarm`.execute(
        money.shop.context.db,
      );
      expect(alarms).toEqual([
        { reason: 'Small coins are not joined: the network fee rose above PAYOUT_FEE_RISE' },
      ]);
      await requireFee(before, first);
    }, 120_000);
  });

  it('are joined once by a process that dies at any step', async () => {
    await open();
    const [before, coins] = [await money.shop.holdings('BTC'), await sumOf()];
    const run = (): Promise<void> =>
      killAtEachStep(
        money.shop.context,
        (context) => consolidateCoins(context, new AbortController().signal),
        () => money.look(),
      );
    await run();
    await money.mine(money.final);
    await run();
    await work();
    await requireOnlyFee(before, coins);
  }, 300_000);

  it('wait for a signature from elsewhere, or for none', async () => {
    await open(WATCH_ONLY);
    const { db, clock } = money.shop.context;
    const [before, coins] = [await money.shop.holdings('BTC'), await sumOf()];
    await work();
    await work();
    const [unsigned] = await listUnsigned(db);
    expect(unsigned).toMatchObject({ purpose: 'sweep', plan: { outputs: [] } });
    await discardUnsigned(db, unsigned!.id);
    await work();
    expect(await rows()).toMatchObject([{ status: 'failed' }]);
    expect(await money.shop.holdings('BTC')).toEqual(before);
    await work();
    expect(await listUnsigned(db)).toEqual([]);
    clock.advance(3_600_000);
    await work();
    const [again] = await listUnsigned(db);
    await saveSignature(db, again!.id, await signer.sign(again!));
    await work();
    await work(money.final);
    await work();
    await requireOnlyFee(before, coins);
  }, 120_000);

  it('stay apart when the signer refuses, with an alarm, and nothing is held', async () => {
    await open();
    const before = await money.shop.holdings('BTC');
    const refusing = { sign: () => Promise.reject(new SigningRefusedError('not now')) };
    Object.assign(money.shop.context, { signer: refusing });
    await work();
    expect(await rows()).toMatchObject([{ status: 'failed' }]);
    expect(await money.shop.holdings('BTC')).toEqual(before);
    const { rows: alarms } = await sql<{ reason: string }>`select reason from alarm`.execute(
      money.shop.context.db,
    );
    expect(alarms).toEqual([{ reason: 'Small coins are not joined: not now' }]);
  }, 120_000);
});
