import { sql } from 'kysely';
import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { expect, it } from 'vitest';
import { isSignedBitcoinPlan } from '@crypto-checkout/chains/bitcoin/sign';
import type { BitcoinPlan, SignedTransaction } from '@crypto-checkout/chains/sender';
import {
  type BitcoinChain,
  type BitcoinPayer,
} from '../../../chains/test/support/bitcoin-chain.ts';
import { describeOnLitecoind } from '../../../chains/test/support/litecoind.ts';
import { Money } from '../../test/support/money.ts';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { SigningRefusedError, type Signer } from '@crypto-checkout/chains/signer';
import { createAccount } from '../account/create.ts';
import { requestReplacement } from '../payout/sending/replace.ts';
import { processPayouts } from '../payout/sending/process.ts';
import { feeOfPlan } from '@crypto-checkout/chains/bitcoin/send/look-up';
import { scriptOf } from '@crypto-checkout/chains/bitcoin/address';
import { bitcoinNetwork } from '@crypto-checkout/chains/bitcoin/network';
import { hex } from '@scure/base';
import { nextChangeIndex, unspentCoins } from './coin-store.ts';
import { WATCH_ONLY } from './open-keys.ts';
import { scanChain } from './scan.ts';
import { assignMoney } from '../unassigned/assign.ts';
import { listUnassigned } from '../unassigned/store.ts';
import { bitcoinAttempts, serveBitcoinEach } from '../../test/support/bitcoin-bench.ts';
import { killAtEachStep } from '../../test/support/kill.ts';

/** `npm run nightly` sends as many at once as the interface promises. */
const AT_ONCE = process.env['SAMPLE_SEED'] === undefined ? 200 : 30;

describeOnLitecoind('payouts of a Bitcoin-like chain', () => {
  let payer: BitcoinPayer;
  let money: Money;
  let change: BitcoinChain['change'];
  serveBitcoinEach((bench) => ({ payer, money, change } = bench));

  const attempts = () => bitcoinAttempts(money);

  it(`sends ${AT_ONCE} payouts in as few transactions as possible, and spends no output twice`, async () => {
    const recipients = Array.from({ length: AT_ONCE }, () => money.chain.stranger());
    const ids: string[] = [];
    for (const recipient of recipients) ids.push((await money.payOut(recipient, '0.01')).id);
    await money.work();
    const sent = await attempts();
    expect(sent).toHaveLength(Math.ceil(AT_ONCE / 100));
    const spent = sent.flatMap(({ plan }) => plan.inputs.map(({ outpoint }) => outpoint));
    expect(new Set(spent).size).toBe(spent.length);
    await money.work(money.final);
    await money.work();
    for (const recipient of recipients)
      expect(await money.chain.held(recipient)).toBe(parseAmount('0.01'));
    for (const id of ids) {
      expect(await money.shop.payout(id)).toMatchObject({ status: 'complete' });
      expect(await money.shop.events(id)).toEqual([
        'payout_pending',
        'payout_confirmed',
        'payout_complete',
      ]);
    }
    await requireWholeFees(sent.map(({ plan }) => plan));
  }, 600_000);

  /** The payouts' own fees are those of the transactions, to the satoshi. */
  async function requireWholeFees(plans: readonly BitcoinPlan[]): Promise<void> {
    const paid = plans.reduce((sum, plan) => sum + feeOfPlan(plan), 0n);
    const { rows } = await sql<{ fee: string; most: boolean }>`
      select sum(fee)::text as fee, bool_and(fee <= fee_reserve) as most from payout
      where status = 'complete'`.execute(money.shop.context.db);
    expect(rows).toEqual([{ fee: expect.any(String), most: true }]);
    expect(parseAmount(rows[0]!.fee)).toBe(paid * 10n ** 10n);
    expect(await money.shop.holdings('BTC')).toMatchObject({ reserved: '0' });
  }

  it('a process that dies at any step of a common transaction pays each payout once', async () => {
    const recipients = [1, 2, 3].map(() => money.chain.stranger());
    for (const recipient of recipients) await money.payOut(recipient, '0.5');
    await killAtEachStep(money.shop.context, processPayouts);
    expect(await attempts()).toHaveLength(1);
    await money.work(money.final);
    await money.work();
    for (const recipient of recipients)
      expect(await money.chain.held(recipient)).toBe(parseAmount('0.5'));
    await requireWholeFees((await attempts()).map(({ plan }) => plan));
  }, 300_000);

  it('payouts of a common transaction get a higher fee together, and are not cancelled', async () => {
    const recipients = [money.chain.stranger(), money.chain.stranger()];
    const ids: string[] = [];
    for (const recipient of recipients) ids.push((await money.payOut(recipient, '0.5')).id);
    await money.work();
    const { accountId, context } = money.shop;
    const request = (intent: 'bump' | 'cancel') =>
      requestReplacement(context, { accountId, username: 'ops' }, ids[1]!, intent);
    await expect(request('cancel')).rejects.toMatchObject({
      message:
        "The payout leaves in one transaction with 1 others, so it can't be cancelled alone; it can be bumped.",
    });
    await request('bump');
    await money.work();
    await money.work(money.final);
    await money.work();
    const [first, bumped] = await attempts();
    expect(bumped!.plan.outputs).toEqual(first!.plan.outputs);
    for (const id of ids)
      expect(await money.shop.payout(id)).toMatchObject({ status: 'complete', txid: bumped!.txid });
    await requireWholeFees([bumped!.plan]);
  }, 120_000);

  it('payouts of a common transaction share the cost of a higher fee, not only the one that asked', async () => {
    const ids: string[] = [];
    for (let at = 0; at < 3; at += 1)
      ids.push((await money.payOut(money.chain.stranger(), '0.5')).id);
    await money.work();
    const before = await reserves();
    expect(new Set(before).size).toBe(1);
    const { accountId, context } = money.shop;
    // Each time the fee doubles, so that it exceeds what is held.
    for (let times = 0; times < 4; times += 1) {
      change((call, answer) =>
        call.method === 'estimatesmartfee'
          ? { result: { feerate: (0.0004 * 2 ** times).toFixed(8), blocks: 2 } }
          : answer,
      );
      await requestReplacement(context, { accountId, username: 'ops' }, ids[1]!, 'bump');
      await sql`update outgoing_attempt set created_at_real = created_at_real - interval '1 hour'`.execute(
        context.db,
      );
      await money.work();
    }
    const after = await reserves();
    const [most, least] = [after.at(-1)!, after[0]!];
    expect(least).toBeGreaterThan(before[0]!);
    // The parts differ by one satoshi at most for each time.
    expect(most - least).toBeLessThanOrEqual(4n * 10n ** 10n);
    change((_, answer) => answer);
    await money.work(money.final);
    await money.work();
    await requireWholeFees([(await attempts()).at(-1)!.plan]);
  }, 120_000);

  it('the payout that asked for a higher fee pays for those whose wallets lack their part', async () => {
    const { accountId, context } = money.shop;
    const own = await money.payOut(money.chain.stranger(), '0.5');
    const [reserve] = await reserves();
    const other = await createAccount(context, {}, { name: 'Second shop' });
    await sql`update profile set callback_url = (select callback_url from profile where id = ${money.shop.profileId})
      where id = ${other.profiles[0]}`.execute(context.db);
    await money.shop.fund('BTC', formatAmount(parseAmount('0.5') + reserve!), other.id);
    const recipients = [{ amount: '0.5', currency: 'BTC', address: money.chain.stranger() }];
    const creator = { accountId: other.id, key: null };
    await money.shop.payOut({ profile_id: other.profiles[0], recipients }, creator);
    await money.work();
    expect(await attempts()).toHaveLength(1);
    change((call, answer) =>
      call.method === 'estimatesmartfee' ? { result: { feerate: 0.002, blocks: 2 } } : answer,
    );
    await requestReplacement(context, { accountId, username: 'ops' }, own.id, 'bump');
    const [least, most] = await reserves();
    expect(least).toBe(reserve);
    expect(most).toBeGreaterThan(reserve!);
    change((_, answer) => answer);
    await money.work();
    await money.work(money.final);
    await money.work();
    await requireWholeFees([(await attempts()).at(-1)!.plan]);
  }, 120_000);

  /** Held for the fee of each payout, the least first. */
  async function reserves(): Promise<bigint[]> {
    const { rows } = await sql<{ fee_reserve: string }>`
      select fee_reserve::text as fee_reserve from payout order by fee_reserve`.execute(
      money.shop.context.db,
    );
    return rows.map(({ fee_reserve }) => parseAmount(fee_reserve));
  }

  it('a payout whose output the network refuses fails alone', async () => {
    const good = await money.payOut(money.chain.stranger(), '0.5');
    const bad = await money.payOut(money.chain.stranger(), '0.25');
    const script = hex.encode(
      scriptOf(bitcoinNetwork('bitcoin', 'regtest').versions, await addressOf(bad.id)),
    );
    change((call, answer) =>
      call.method === 'testmempoolaccept' && JSON.stringify(call.params).includes(script)
        ? { result: [{ txid: 'a'.repeat(64), allowed: false, 'reject-reason': 'dust' }] }
        : answer,
    );
    await money.work();
    expect(await money.shop.payout(bad.id)).toMatchObject({ status: 'failed' });
    expect(await money.shop.payout(good.id)).toMatchObject({ status: 'pending' });
    await money.work(money.final);
    await money.work();
    expect(await money.shop.payout(good.id)).toMatchObject({ status: 'complete' });
    expect(await money.shop.holdings('BTC')).toMatchObject({ reserved: '0' });
  }, 120_000);

  async function addressOf(id: string): Promise<string> {
    const { rows } = await sql<{ address: string }>`
      select address from payout_recipient where payout_id = ${id}`.execute(money.shop.context.db);
    return rows[0]!.address;
  }

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
    for (let at = 0; at < 6; at += 1) {
      ids.push((await money.payOut(money.chain.stranger(), '1')).id);
      await money.work();
      await money.look();
    }
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

  it('a payout whose input another transaction spent for good fails, and says so', async () => {
    const recipient = money.chain.stranger();
    const { id } = await money.payOut(recipient);
    await money.work();
    const [{ plan, txid }] = (await attempts()) as [SignedTransaction & { plan: BitcoinPlan }];
    await payer.expire();
    const outputs = [{ address: money.chain.stranger(), units: '150000000' }];
    const other = { ...plan, inputs: plan.inputs.slice(0, 1), outputs, change: null };
    const signed = await money.shop.context.signer.sign({
      id: 'elsewhere',
      purpose: 'payout',
      plan: other,
    });
    await payer.node.call('sendrawtransaction', signed.raw, 0);
    await money.work(1);
    expect(await money.shop.payout(id)).toMatchObject({ status: 'pending' });
    const at = new Date(money.shop.context.clock.real() - 601_000);
    await sql`update outgoing_attempt set created_at_real = ${at}`.execute(money.shop.context.db);
    await money.work();
    expect(await alarmsAbout(id)).toEqual([
      expect.stringContaining(
        `The network does not have the transaction ${txid}, 10 minutes after it was sent; the node answers: `,
      ),
    ]);
    await money.work(money.final - 1);
    expect(await money.shop.payout(id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining(`Another transaction, ${signed.txid}, spent its input in`),
    });
    expect(await alarmsAbout(id)).toEqual([]);
    expect(await money.chain.held(recipient)).toBe(0n);
    expect(await money.shop.holdings('BTC')).toMatchObject({ reserved: '0' });
  }, 120_000);

  it('a payout whose block the node may have deleted stays open, with an alarm, and holds up no other', async () => {
    const ids: string[] = [];
    const payOne = async (): Promise<void> => {
      ids.push((await money.payOut(money.chain.stranger())).id);
      await money.work();
    };
    for (let count = 0; count < 3; count += 1) await payOne();
    await payer.expire();
    for (const [at, { plan }] of (await attempts()).entries()) {
      const outputs = [{ address: money.chain.stranger(), units: '150000000' }];
      const other = { ...plan, inputs: plan.inputs.slice(0, 1), outputs, change: null };
      const { signer } = money.shop.context;
      const { raw } = await signer.sign({ id: `rival-${at}`, purpose: 'payout', plan: other });
      await payer.node.call('sendrawtransaction', raw, 0);
    }
    await money.work(1);
    await payOne();
    await money.chain.mine(1);
    change((call, answer) =>
      call.method === 'getblock'
        ? { error: { code: -1, message: 'Block not available (pruned data)' } }
        : answer,
    );
    const at = new Date(money.shop.context.clock.real() - 601_000);
    await sql`update outgoing_attempt set created_at_real = ${at}`.execute(money.shop.context.db);
    await money.work();
    for (const id of ids.slice(0, 3)) {
      expect(await money.shop.payout(id)).toMatchObject({ status: 'pending' });
      expect(await alarmsAbout(id)).toEqual([
        expect.stringMatching(/10 minutes after .*, but a block may have it: The node has deleted/),
      ]);
    }
    expect(await money.shop.payout(ids[3]!)).toMatchObject({ status: 'confirmed' });
  }, 120_000);

  it('a payout that spends change fails once that change never comes', async () => {
    // All five coins, so that the next payout spends the change.
    const parent = await money.payOut(money.chain.stranger(), '9');
    await money.work();
    await money.look();
    const recipient = money.chain.stranger();
    const child = await money.payOut(recipient, '0.5');
    await money.work();
    const [first, second] = await attempts();
    expect(second!.plan.inputs.map(({ outpoint }) => outpoint)).toEqual([`${first!.txid}:1`]);
    await payer.expire();
    const outputs = [{ address: money.chain.stranger(), units: '150000000' }];
    const plan = { ...first!.plan, inputs: first!.plan.inputs.slice(0, 1), outputs, change: null };
    const { signer } = money.shop.context;
    const signed = await signer.sign({ id: 'elsewhere', purpose: 'payout', plan });
    await payer.node.call('sendrawtransaction', signed.raw, 0);
    await money.work(money.final - 1);
    for (const { id } of [parent, child])
      expect(await money.shop.payout(id)).toMatchObject({ status: 'pending' });
    await money.work(1);
    expect(await money.shop.payout(parent.id)).toMatchObject({ status: 'failed' });
    expect(await money.shop.payout(child.id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining(
        `It spends the change of ${first!.txid}, and another transaction, ${signed.txid}, took the place of that one in block`,
      ),
    });
    expect(await money.chain.held(recipient)).toBe(0n);
    expect(await money.shop.holdings('BTC')).toMatchObject({ reserved: '0' });
    // The coins that are left pay it when it is asked for again.
    const again = await money.payOut(recipient, '0.5');
    await money.work();
    await money.work(money.final);
    await money.work();
    expect(await money.shop.payout(again.id)).toMatchObject({ status: 'complete' });
    expect(await money.chain.held(recipient)).toBe(parseAmount('0.5'));
  }, 120_000);

  it('a payout that its owner sent again from another wallet is paid, and never fails', async () => {
    const recipients = [money.chain.stranger(), money.chain.stranger()];
    const ids: string[] = [];
    for (const recipient of recipients) ids.push((await money.payOut(recipient, '0.5')).id);
    await money.work();
    const [{ plan }] = (await attempts()) as [SignedTransaction & { plan: BitcoinPlan }];
    const units = (BigInt(plan.change!.units) - 500n).toString();
    const faster = { ...plan, change: { ...plan.change!, units } };
    const { signer } = money.shop.context;
    const signed = await signer.sign({ id: 'elsewhere', purpose: 'payout', plan: faster });
    await payer.node.call('sendrawtransaction', signed.raw);
    await money.work(1);
    for (const id of ids)
      expect(await money.shop.payout(id)).toMatchObject({ status: 'confirmed', txid: signed.txid });
    await money.work(money.final);
    await money.work();
    for (const recipient of recipients)
      expect(await money.chain.held(recipient)).toBe(parseAmount('0.5'));
    for (const id of ids) expect(await money.shop.payout(id)).toMatchObject({ status: 'complete' });
    await requireWholeFees([faster]);
    await money.look();
    // A stranger paid the first coins to an address for change; the new change is the wallet's own.
    const { rows } = await sql<{ is_change: boolean; count: number }>`
      select txid = ${signed.txid} as is_change, count(*)::int as count from unassigned group by 1`.execute(
      money.shop.context.db,
    );
    expect(rows).toEqual([{ is_change: false, count: 5 }]);
  }, 120_000);

  it('payouts of which another transaction paid a part do not fail', async () => {
    const recipients = [money.chain.stranger(), money.chain.stranger()];
    const ids: string[] = [];
    for (const recipient of recipients) ids.push((await money.payOut(recipient, '0.5')).id);
    await money.work();
    const [{ plan }] = (await attempts()) as [SignedTransaction & { plan: BitcoinPlan }];
    const outputs = [plan.outputs[0]!, { ...plan.outputs[1]!, units: '40000000' }];
    const other = { ...plan, outputs };
    const { signer } = money.shop.context;
    const signed = await signer.sign({ id: 'elsewhere', purpose: 'payout', plan: other });
    await payer.expire();
    await payer.node.call('sendrawtransaction', signed.raw, 0);
    await money.work(1);
    await money.work(money.final);
    await money.work();
    for (const id of ids) expect(await money.shop.payout(id)).toMatchObject({ status: 'pending' });
  }, 120_000);

  const alarmsAbout = async (id: string): Promise<string[]> =>
    (
      await sql<{ reason: string }>`select reason from alarm where resource_id = ${id}`.execute(
        money.shop.context.db,
      )
    ).rows.map(({ reason }) => reason);

  it('a payout waits for coins that this wallet does not have, and says so', async () => {
    await money.shop.fund('BTC', '90');
    const { id } = await money.payOut(money.chain.stranger(), '11');
    await money.work();
    await money.work();
    expect(await money.shop.payout(id)).toMatchObject({ status: 'new' });
    const { db } = money.shop.context;
    const { rows } = await sql<{ reason: string; funding: { amount: string } }>`
      select reason, funding from alarm`.execute(db);
    const { fundingAddress } = money.shop.context.senders.get('bitcoin')!;
    expect(rows).toEqual([
      {
        reason: `Payouts are waiting: the keys of this service hold too few coins for it; send BTC to ${fundingAddress}, and assign it to the wallet when it is listed as unassigned`,
        funding: { asset: 'BTC', amount: expect.any(String), address: fundingAddress },
      },
    ]);
    // All that it sends, with the network fee.
    expect(Number(rows[0]!.funding.amount)).toBeCloseTo(11, 1);
  }, 60_000);

  it('pays out from coins that the operator sent, once they are assigned', async () => {
    const { accountId, context } = money.shop;
    const { fundingAddress: address = null } = context.senders.get('bitcoin')!;
    const before = await money.shop.holdings('BTC');
    const target = { ...(await money.chain.target()), address };
    const txid = await money.chain.pay(target, parseAmount('3'));
    await money.mine(1);
    const listed = await listUnassigned(context.db, { settled: false, limit: 100 });
    const found = listed.filter((one) => one.txid === txid);
    expect(found).toMatchObject([
      {
        amount: '3',
        currency: 'BTC',
        reason: 'sent to the address for funding: assign it to the wallet that pays out from it',
      },
    ]);
    const assign = () =>
      assignMoney(context, { id: found[0]!.id, accountId, reason: 'Funding', by: 'ada' });
    await expect(assign()).rejects.toThrow('have 1 of 6 confirmations');
    await money.mine(money.final - 1);
    await assign();
    await assign();
    const { available } = await money.shop.holdings('BTC');
    expect(parseAmount(available) - parseAmount(before.available)).toBe(parseAmount('3'));
    const recipient = money.chain.stranger();
    // More than the coins that the wallet had before.
    const { id } = await money.payOut(recipient, '11');
    await money.work();
    await money.work(money.final);
    await money.work();
    expect(await money.shop.payout(id)).toMatchObject({ status: 'complete' });
    expect(await money.chain.held(recipient)).toBe(parseAmount('11'));
  }, 120_000);

  it('plans with other outputs beside a plan that waits for its signature', async () => {
    Object.assign(money.shop.context, { signer: WATCH_ONLY });
    for (let plan = 1; plan <= 2; plan += 1) {
      await money.payOut(money.chain.stranger());
      await money.work();
      expect(await attempts()).toHaveLength(plan);
    }
    const spent = (await attempts()).flatMap(({ plan }) => plan.inputs);
    expect(new Set(spent.map(({ outpoint }) => outpoint)).size).toBe(spent.length);
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
