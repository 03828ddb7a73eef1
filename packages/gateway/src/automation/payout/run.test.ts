import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { endLeases } from '../../database/lease.ts';
import { UnavailableError } from '../../http/error.ts';
import { killableProcess } from '../../../test/support/kill.ts';
import {
  ADDRESS,
  payoutShop,
  requirePayoutBooks,
  type PayoutShop,
} from '../../../test/support/payouts.ts';
import { TEST_START } from '../../../test/support/context.ts';
import { createAutomaticPayout, type Editor } from './create.ts';
import { runAutomaticPayouts } from './run.ts';
import type { RuleView } from './store.ts';
import { updateAutomaticPayout } from './update.ts';

let shop: PayoutShop;
let editor: Editor;
let senders: ReadonlyMap<string, ChainSender>;
beforeAll(async () => {
  shop = await payoutShop({ chains: ['bitcoin', 'ethereum', 'ton', 'xrp'] });
  editor = { accountId: shop.accountId, name: 'operator', overApi: false };
  senders = new Map(shop.context.senders);
});
afterAll(() => shop.close());

/** Starts each test without payouts and with all chains available. */
beforeEach(async () => {
  await sql`truncate automatic_payout, payout, payout_recipient, outgoing, outgoing_attempt, posting, balance, alarm, callback, callback_delivery,
    sandbox_transaction, sandbox_output`.execute(shop.context.db);
  shop.context.clock.advance(TEST_START - shop.context.clock.now());
  for (const [chain, sender] of senders)
    (shop.context.senders as Map<string, ChainSender>).set(chain, sender);
});

const MINUTE = 60_000;

async function walletOf(kind: string): Promise<string> {
  const { wallet_id } = await shop.context.db
    .selectFrom('profile_currency')
    .select('wallet_id')
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow();
  return wallet_id;
}

async function rule(more: Record<string, unknown> = {}): Promise<RuleView> {
  const kind = (more['kind'] as string | undefined) ?? 'BTC';
  const terms = {
    wallet: await walletOf(kind),
    keep_amount: '0.2',
    recipient_address: ADDRESS.BTC,
    is_enabled: true,
    interval: 5,
  };
  return createAutomaticPayout(shop.context, editor, { ...terms, ...more });
}

/** Advances the clock, runs the due work and checks the ledger. */
async function after(minutes: number, context = shop.context): Promise<void> {
  shop.context.clock.advance(minutes * MINUTE);
  await runAutomaticPayouts(context);
  await requirePayoutBooks(shop);
}

async function payouts(): Promise<
  { id: string; reference_id: string; total: string; fee: string; status: string }[]
> {
  const { rows } = await sql<{
    id: string;
    reference_id: string;
    total: string;
    fee: string;
    status: string;
  }>`
    select id, reference_id, trim_scale(total)::text as total, trim_scale(fee)::text as fee, status from payout order by number`.execute(
    shop.context.db,
  );
  return rows;
}

const stored = async (id: string) =>
  shop.context.db
    .selectFrom('automatic_payout')
    .select(['next_at', 'last_error'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
const alarms = async () =>
  await shop.context.db.selectFrom('alarm').select(['resource_id', 'reason']).execute();

describe('automatic payout created by a key with max_payout', () => {
  it('creates one draft at a time above the limit and sends nothing unapproved', async () => {
    await shop.fund('BTC', '1');
    const wallet = await walletOf('BTC');
    const terms = {
      wallet,
      keep_amount: '0',
      recipient_address: ADDRESS.BTC,
      is_enabled: true,
      interval: 5,
    };
    await createAutomaticPayout(
      shop.context,
      { ...editor, overApi: true, maxPayout: '100' },
      terms,
    );
    for (let runs = 0; runs < 3; runs += 1) await after(5);
    expect((await payouts()).map(({ status }) => status)).toEqual(['draft']);
    expect(await shop.holdings('BTC')).toEqual({ available: '1', reserved: '0' });
  });

  it('keeps the limit of the last editor', async () => {
    await shop.fund('BTC', '1');
    const { id } = await createAutomaticPayout(
      shop.context,
      { ...editor, overApi: true },
      {
        wallet: await walletOf('BTC'),
        keep_amount: '0',
        recipient_address: ADDRESS.BTC,
        is_enabled: true,
        interval: 5,
      },
    );
    await updateAutomaticPayout(shop.context, { ...editor, overApi: true, maxPayout: '100' }, id, {
      recipient_address: ADDRESS.BTC,
    });
    await after(5);
    expect((await payouts()).map(({ status }) => status)).toEqual(['draft']);
    await sql`update payout set status = 'rejected'`.execute(shop.context.db);
    await updateAutomaticPayout(shop.context, editor, id, { keep_amount: '0.2' });
    await after(5);
    expect((await payouts()).map(({ status }) => status)).toEqual(['rejected', 'new']);
  });
});

describe('automatic payout', () => {
  it('sends the surplus above keep_amount, less the network fee', async () => {
    await shop.fund('BTC', '1');
    const { id } = await rule();
    await after(4.9);
    expect(await payouts()).toEqual([]);
    await after(0.1);
    const [payout] = await payouts();
    expect(payout!.reference_id).toBe(`automatic-payout:${id}:2026-11-21T06:05:00.000000+00:00`);
    expect(Number(payout!.total) + Number(payout!.fee)).toBeCloseTo(0.8, 8);
    expect(await shop.holdings('BTC')).toEqual({ available: '0.2', reserved: '0.8' });
    await shop.work();
    await shop.mine('BTC', 6);
    await shop.work();
    expect(await shop.holdings('BTC')).toEqual({ available: '0.2', reserved: '0' });
    expect(await shop.sent(ADDRESS.BTC)).toMatchObject([{ amount: payout!.total }]);
    expect(await shop.payout(payout!.id)).toMatchObject({
      status: 'complete',
      network_fee_pays: 'recipient',
      wallet_id: await walletOf('BTC'),
    });
  });

  it('runs once per interval and sends nothing without a surplus', async () => {
    await shop.fund('BTC', '1');
    const { id } = await rule({ interval: 30 });
    await after(30);
    await shop.fund('BTC', '0.5');
    await after(29);
    expect(await payouts()).toHaveLength(1);
    await after(1);
    expect(await payouts()).toHaveLength(2);
    await after(30);
    expect(await payouts()).toHaveLength(2);
    expect(await stored(id)).toEqual({
      next_at: '2026-11-21T08:00:00.000000+00:00',
      last_error: null,
    });
  });

  it('runs once after several missed intervals', async () => {
    await shop.fund('BTC', '1');
    const { id } = await rule({ interval: 360 });
    await after(3 * 24 * 60 + 7);
    await after(0);
    expect(await payouts()).toHaveLength(1);
    expect((await stored(id)).next_at).toBe('2026-11-24T12:00:00.000000+00:00');
  });

  it.each([
    ['0.8', 1],
    ['0.80000001', 0],
  ])('with min_amount %s creates %i payouts', async (min_amount, count) => {
    await shop.fund('BTC', '1');
    await rule({ min_amount });
    await after(5);
    expect(await payouts()).toHaveLength(count);
  });

  it.each(['0.2', '0.2000001', '0.20001'])(
    'keeps %s if the fee exceeds the surplus above 0.2, without an alarm',
    async (funds) => {
      await shop.fund('BTC', funds);
      const { id } = await rule();
      await after(5);
      expect([await payouts(), await alarms(), (await stored(id)).last_error]).toEqual([
        [],
        [],
        null,
      ]);
    },
  );

  it('does nothing while disabled, and runs one interval after it is enabled', async () => {
    await shop.fund('BTC', '1');
    const { id } = await rule({ is_enabled: false });
    await after(60);
    expect(await payouts()).toEqual([]);
    await updateAutomaticPayout(shop.context, editor, id, { is_enabled: true });
    await after(4);
    expect(await payouts()).toEqual([]);
    await after(1);
    expect(await payouts()).toHaveLength(1);
  });

  it('sends a token and keeps the native coin for the fee', async () => {
    await shop.fund('ETH_USDT', '500');
    await shop.fund('ETH', '1');
    await rule({ kind: 'ETH_USDT', keep_amount: '100', recipient_address: ADDRESS.ETH });
    await after(5);
    const [payout] = await payouts();
    expect(Number(payout!.total)).toBeGreaterThan(390);
    expect(Number(payout!.total)).toBeLessThan(400);
    expect(Number((await shop.holdings('ETH_USDT')).available)).toBeGreaterThanOrEqual(100);
    await shop.work();
    expect(await shop.sent(ADDRESS.ETH)).toMatchObject([{ asset: 'ETH_USDT' }]);
  });

  it('sends an unlisted coin, to an address with a tag', async () => {
    await shop.fund('TON', '10');
    await shop.fund('XRP', '100');
    await rule({ kind: 'TON', keep_amount: '1', recipient_address: ADDRESS.TON });
    await rule({ kind: 'XRP', keep_amount: '1', recipient_address: `${ADDRESS.XRP}:42` });
    await after(5);
    expect((await payouts()).map(({ status }) => status)).toEqual(['new', 'new']);
    const tags = await shop.context.db
      .selectFrom('payout_recipient')
      .select('tag')
      .orderBy('tag')
      .execute();
    expect(tags.map(({ tag }) => tag)).toEqual(['42', null]);
  });

  it('keeps keep_amount even if the fee rises', async () => {
    const sender = shop.context.senders.get('bitcoin')!;
    const dear: ChainSender = {
      ...sender,
      estimate: async () => ({ fee: parseAmount('0.001'), reserve: parseAmount('0.003') }),
    };
    (shop.context.senders as Map<string, ChainSender>).set('bitcoin', dear);
    await shop.fund('BTC', '1');
    await rule();
    await after(5);
    expect(await shop.holdings('BTC')).toEqual({ available: '0.2', reserved: '0.8' });
    expect((await payouts())[0]!.total).toBe('0.797');
  });
});

describe('failing automatic payout', () => {
  it('raises one alarm and is retried in the next interval', async () => {
    await shop.fund('ETH_USDT', '500');
    const { id } = await rule({
      kind: 'ETH_USDT',
      keep_amount: '0',
      recipient_address: ADDRESS.ETH,
    });
    await after(5);
    await after(0);
    await after(5);
    expect(await payouts()).toEqual([]);
    expect(await stored(id)).toMatchObject({
      last_error: expect.stringContaining('less available'),
    });
    expect(await alarms()).toEqual([
      {
        resource_id: id,
        reason: expect.stringContaining('An automatic payout of ETH_USDT failed'),
      },
    ]);
    await shop.fund('ETH', '1');
    await after(5);
    expect(await payouts()).toHaveLength(1);
    expect(await stored(id)).toMatchObject({ last_error: null });
  });

  it('reports that no profile enables the coin', async () => {
    await shop.fund('BTC', '1');
    const { id } = await rule();
    await sql`update profile_currency set kind = 'off ' || kind where kind like 'BTC%'`.execute(
      shop.context.db,
    );
    await after(5);
    await sql`update profile_currency set kind = substr(kind, 5) where kind like 'off %'`.execute(
      shop.context.db,
    );
    expect((await stored(id)).last_error).toBe("No profile enables BTC, so it can't be paid out");
  });

  it('with an unavailable node does not delay others', async () => {
    const sender = shop.context.senders.get('bitcoin')!;
    const silent: ChainSender = {
      ...sender,
      estimate: () => Promise.reject(new UnavailableError('The chain bitcoin does not answer')),
    };
    (shop.context.senders as Map<string, ChainSender>).set('bitcoin', silent);
    await shop.fund('BTC', '1');
    await shop.fund('ETH', '1');
    const { id } = await rule();
    await rule({ kind: 'ETH', keep_amount: '0', recipient_address: ADDRESS.ETH });
    await after(5);
    expect(await payouts()).toMatchObject([{ reference_id: expect.stringContaining('automatic') }]);
    expect((await stored(id)).last_error).toContain('does not answer');
    (shop.context.senders as Map<string, ChainSender>).set('bitcoin', sender);
    await after(5);
    expect(await payouts()).toHaveLength(2);
  });

  it('sends the refunded money after its payout failed on the chain', async () => {
    await shop.fund('BTC', '1');
    await rule();
    await after(5);
    const [first] = await payouts();
    const sender = shop.context.senders.get('bitcoin')!;
    (shop.context.senders as Map<string, ChainSender>).set('bitcoin', {
      ...sender,
      broadcast: async () => ({ result: 'failed', reason: 'min relay fee not met' }),
    });
    await shop.work();
    expect((await shop.payout(first!.id)).status).toBe('failed');
    (shop.context.senders as Map<string, ChainSender>).set('bitcoin', sender);
    await after(5);
    await shop.work();
    expect(await payouts()).toMatchObject([{ status: 'failed' }, { status: 'pending' }]);
  });
});

describe('crashes and concurrency', () => {
  it('a crash between any two steps pays each run once', async () => {
    const doomed = killableProcess(shop.context);
    try {
      await rule({ keep_amount: '0' });
      for (let steps = 0; steps < 200; steps += 1) {
        await shop.fund('BTC', '1');
        shop.context.clock.advance(5 * MINUTE);
        doomed.surviveFor(steps);
        await runAutomaticPayouts(doomed.context).catch(() => {});
        const lived = !doomed.isKilled();
        doomed.surviveFor(Number.POSITIVE_INFINITY);
        await endLeases(shop.context.db);
        await requirePayoutBooks(shop);
        await after(0);
        const all = await payouts();
        expect(all).toHaveLength(steps + 1);
        expect(new Set(all.map(({ reference_id }) => reference_id)).size).toBe(steps + 1);
        expect(await shop.holdings('BTC')).toEqual({
          available: '0',
          reserved: formatAmount(parseAmount(String(steps + 1))),
        });
        if (lived) return expect(steps).toBeGreaterThan(15);
      }
      expect.unreachable('a run takes too many steps');
    } finally {
      await doomed.close();
    }
  }, 60_000);

  it('money received after a crash is sent in the next run', async () => {
    await shop.fund('BTC', '1');
    const { id } = await rule({ keep_amount: '0' });
    await after(5);
    // State after a crash between the payout and the end of the run.
    await sql`update automatic_payout set next_at = '2026-11-21T06:05:00Z'`.execute(
      shop.context.db,
    );
    await shop.fund('BTC', '2');
    await after(0);
    expect(await payouts()).toHaveLength(1);
    expect(await stored(id)).toEqual({
      next_at: '2026-11-21T06:10:00.000000+00:00',
      last_error: null,
    });
    await after(5);
    expect(await payouts()).toHaveLength(2);
  });

  it('fifty concurrent runs create one payout', async () => {
    await shop.fund('BTC', '1');
    await rule();
    shop.context.clock.advance(5 * MINUTE);
    await Promise.all(Array.from({ length: 50 }, () => runAutomaticPayouts(shop.context)));
    await requirePayoutBooks(shop);
    expect(await payouts()).toHaveLength(1);
  });

  it('fifty concurrent creates make one rule', async () => {
    const all = await Promise.allSettled(Array.from({ length: 50 }, () => rule()));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of all)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ reason: 'AlreadyExists' });
  });

  it('a change during a run loses no run', async () => {
    await shop.fund('BTC', '1');
    const { id } = await rule();
    shop.context.clock.advance(5 * MINUTE);
    await Promise.all([
      runAutomaticPayouts(shop.context),
      updateAutomaticPayout(shop.context, editor, id, { interval: 10 }),
    ]);
    await requirePayoutBooks(shop);
    expect((await stored(id)).next_at).toBe('2026-11-21T06:15:00.000000+00:00');
  });
});
