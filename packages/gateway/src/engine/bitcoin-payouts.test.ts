import { sql } from 'kysely';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { isSignedBitcoinPlan } from '@crypto-checkout/chains/bitcoin/sign';
import type { BitcoinPlan, SignedTransaction } from '@crypto-checkout/chains/sender';
import {
  startBitcoinPayer,
  type BitcoinPayer,
} from '../../../chains/test/support/bitcoin-chain.ts';
import { describeOnLitecoind } from '../../../chains/test/support/litecoind.ts';
import { startBitcoinMoney } from '../../test/support/bitcoin-money.ts';
import { Money } from '../../test/support/money.ts';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { SigningRefusedError, type Signer } from '@crypto-checkout/chains/signer';
import { nextChangeIndex, unspentCoins } from './coin-store.ts';
import { scanChain } from './scan.ts';

/** `npm run nightly` sends as many at once as the interface promises. */
const AT_ONCE = process.env['SAMPLE_SEED'] === undefined ? 200 : 30;

describeOnLitecoind('payouts of a Bitcoin-like chain', () => {
  let payer: BitcoinPayer;
  let money: Money;
  beforeAll(async () => {
    payer = await startBitcoinPayer();
  });
  afterAll(() => payer?.stop());
  beforeEach(async () => {
    money = new Money(await startBitcoinMoney(payer, 'bitcoin'));
  }, 60_000);
  afterEach(async () => {
    await money.shop.close();
    await money.chain.close();
  });

  const attempts = async (): Promise<(SignedTransaction & { plan: BitcoinPlan })[]> => {
    const { rows } = await sql<SignedTransaction & { plan: BitcoinPlan }>`
      select raw, txid, plan from outgoing_attempt order by created_at_real`.execute(
      money.shop.context.db,
    );
    return rows;
  };

  it(`sends ${AT_ONCE} payouts, and never spends an output twice`, async () => {
    const recipients = Array.from({ length: AT_ONCE }, () => money.chain.stranger());
    for (const recipient of recipients) await money.payOut(recipient, '0.01');
    for (let round = 0; round < AT_ONCE && (await attempts()).length < AT_ONCE; round += 1) {
      await money.work(1);
      await money.look();
    }
    await money.work(money.final);
    await money.work();
    const sent = await attempts();
    expect(sent).toHaveLength(AT_ONCE);
    const spent = sent.flatMap(({ plan }) => plan.inputs.map(({ outpoint }) => outpoint));
    expect(new Set(spent).size).toBe(spent.length);
    for (const recipient of recipients)
      expect(await money.chain.held(recipient)).toBe(parseAmount('0.01'));
    expect(await money.shop.holdings('BTC')).toMatchObject({ reserved: '0' });
  }, 600_000);

  it('pays many recipients in one transaction, for the given fee rate', async () => {
    const recipients = Array.from({ length: 20 }, () => ({
      amount: '0.05',
      currency: 'BTC',
      address: money.chain.stranger(),
    }));
    await money.shop.payOut({ kind: 'BTC', recipients, network_fee: 7 });
    await money.work();
    const [sent, ...more] = await attempts();
    expect(more).toEqual([]);
    const entry = await payer.node.call<{ vsize: number; fees: { base: number } }>(
      'getmempoolentry',
      sent!.txid,
    );
    const rate = (entry.fees.base * 1e8) / entry.vsize;
    expect(rate).toBeGreaterThanOrEqual(7);
    expect(rate).toBeLessThan(7.5);
    await money.work(1);
    for (const { address } of recipients)
      expect(await money.chain.held(address)).toBe(parseAmount('0.05'));
  }, 120_000);

  it('spends its own change before its block, and then keeps the transaction behind it', async () => {
    // The wallet has five coins of 2.
    const ids: string[] = [];
    for (let at = 0; at < 6; at += 1)
      ids.push((await money.payOut(money.chain.stranger(), '1')).id);
    await money.work();
    await money.look();
    await money.work();
    const sent = await attempts();
    expect(sent).toHaveLength(6);
    const parents = new Set(sent.map(({ txid }) => txid));
    const isChild = ({ plan }: { plan: BitcoinPlan }): boolean =>
      plan.inputs.some(({ outpoint }) => parents.has(outpoint.split(':')[0]!));
    expect(sent.filter(isChild)).toHaveLength(1);
    await money.work(money.final);
    await money.work();
    for (const id of ids) expect(await money.shop.payout(id)).toMatchObject({ status: 'complete' });
  }, 120_000);

  it('takes a signature from elsewhere for its own plan only', async () => {
    await money.payOut(money.chain.stranger());
    await money.work();
    const [sent] = await attempts();
    const { plan, raw, txid } = sent!;
    expect(isSignedBitcoinPlan(plan, { raw, txid })).toBe(true);
    const other = { ...plan, outputs: [{ ...plan.outputs[0]!, address: money.chain.stranger() }] };
    expect(isSignedBitcoinPlan(other, { raw, txid })).toBe(false);
    const spoilt = raw.replace(/30440220[0-9a-f]{8}|30450221[0-9a-f]{8}/, (found) =>
      found.replace(/.{4}$/, '0000'),
    );
    expect(spoilt).not.toBe(raw);
    expect(isSignedBitcoinPlan(plan, { raw: spoilt, txid })).toBe(false);
  }, 120_000);

  it('gives the key for its change back when the signer refuses a plan', async () => {
    const { context } = money.shop;
    const { signer } = context;
    const next = await nextChangeIndex(context.db, 'bitcoin');
    const refusing: Signer = { sign: () => Promise.reject(new SigningRefusedError('not now')) };
    Object.assign(context, { signer: refusing });
    const { id } = await money.payOut(money.chain.stranger());
    for (let round = 0; round < 3; round += 1) await money.work();
    expect(await nextChangeIndex(context.db, 'bitcoin')).toBe(next);
    Object.assign(context, { signer });
    await money.work();
    const [sent] = await attempts();
    expect(sent!.plan.change).toMatchObject({ index: next });
    await money.work(money.final);
    await money.work();
    expect(await money.shop.payout(id)).toMatchObject({ status: 'complete' });
  }, 120_000);

  it('lists an output once that left its block while the scan read it', async () => {
    const { db, chains } = money.shop.context;
    const adapter = chains.get('bitcoin')!;
    const twice: ChainAdapter = {
      ...adapter,
      async scan(...options) {
        const result = await adapter.scan(...options);
        const again = result.events.flatMap((event) =>
          event.type === 'observed'
            ? [{ ...event, observation: { ...event.observation, block: null } }]
            : [],
        );
        return { ...result, events: [...result.events, ...again] };
      },
    };
    const before = await unspentCoins(db, 'bitcoin');
    const address = before[0]!.address;
    await money.chain.payEach([{ ...(await money.chain.target()), address }], parseAmount('1'));
    await money.chain.mine(1);
    (chains as Map<string, ChainAdapter>).set('bitcoin', twice);
    await scanChain(money.shop.context, 'bitcoin');
    const { rows } = await sql`select outpoint from coin where amount = 1`.execute(db);
    expect(rows).toHaveLength(1);
  }, 120_000);
});
