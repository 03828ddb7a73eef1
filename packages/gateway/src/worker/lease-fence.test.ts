import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { createAutomaticPayout } from '../automation/payout/create.ts';
import { payoutFunding } from '../payout/sending/conversion-funding.ts';
import { runAutomaticPayouts } from '../automation/payout/run.ts';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { sweepDeposits } from '../sweep/sweep.ts';
import { sweepShop } from '../../test/support/sweeps.ts';
import type { Context } from '../context.ts';
import { createConversion } from '../conversion/create.ts';
import { processConversions } from '../conversion/process.ts';
import { runAutomaticRules } from '../automation/run-rules.ts';
import { createRule } from '../automation/rule.ts';
import { tradeShop } from '../../test/support/exchange.ts';
import { processPayouts } from '../payout/sending/process.ts';
import {
  ADDRESS,
  payoutShop,
  requirePayoutBooks,
  type PayoutShop,
} from '../../test/support/payouts.ts';

/** A worker with something to do, paused in the middle of it. */
interface Scene {
  shop: PayoutShop;
  /** One round of the worker, at a time when everything that it left is due. */
  work(): Promise<void>;
}

let shop: PayoutShop | null = null;
afterEach(async () => {
  await shop?.close();
  shop = null;
});

const MINUTE = 60_000;

/** Wraps a call so that it pauses before its answer arrives. */
const sleepy =
  <A extends unknown[], R>(call: (...args: A) => Promise<R>, sleep: () => Promise<void>) =>
  async (...args: A): Promise<R> => {
    const answer = await call(...args);
    await sleep();
    return answer;
  };

/** Replaces a chain's sender. */
function replaceSender(
  { senders }: Context,
  chain: ChainId,
  change: (sender: ChainSender) => Partial<ChainSender>,
): void {
  const sender = senders.get(chain)!;
  (senders as Map<ChainId, ChainSender>).set(chain, { ...sender, ...change(sender) });
}

async function sentPayout(sleep: () => Promise<void>): Promise<Scene> {
  const made = await payoutShop({ chains: ['bitcoin'] });
  await made.fund('BTC', '1');
  await made.payOut();
  await made.work();
  await made.world.mine('bitcoin', 6);
  replaceSender(made.context, 'bitcoin', ({ lookUp }) => ({ lookUp: sleepy(lookUp, sleep) }));
  return { shop: made, work: () => processPayouts(made.context) };
}

async function newPayout(sleep: () => Promise<void>): Promise<Scene> {
  const made = await payoutShop({ chains: ['bitcoin'] });
  await made.fund('BTC', '1');
  await made.payOut();
  replaceSender(made.context, 'bitcoin', ({ plan }) => ({ plan: sleepy(plan, sleep) }));
  return { shop: made, work: () => processPayouts(made.context) };
}

async function conversion(sleep: () => Promise<void>): Promise<Scene> {
  const made = await tradeShop();
  await made.fund('BTC', '1');
  const caller = { accountId: made.accountId, name: 'a key' };
  await createConversion(made.context, caller, {
    ...made.pair(),
    amount: '0.1',
    is_approved: true,
  });
  const work = async (): Promise<void> => {
    made.context.clock.advance(5 * MINUTE);
    await processConversions(made.context, { payoutFunding: payoutFunding(made.context) });
  };
  made.exchange.answer = sleepy((order, book) => book.execute(order), sleep);
  return { shop: made, work };
}

async function automaticConversion(sleep: () => Promise<void>): Promise<Scene> {
  const made = await tradeShop();
  await made.fund('BTC', '1');
  const caller = { accountId: made.accountId, name: 'a key' };
  const rule = {
    keep_amount: '0',
    min_amount: '0',
    max_amount: '0.1',
    is_enabled: true,
    ...made.pair(),
  };
  await createRule(made.context, 'conversion', caller, rule);
  made.exchange.quote = sleepy(made.exchange.quote, sleep);
  return { shop: made, work: () => runAutomaticRules(made.context) };
}

/** The amount above `keep_amount` is less than its fee, so the run leaves only its own record. */
async function automaticPayout(sleep: () => Promise<void>, funds = '0.20001'): Promise<Scene> {
  const made = await payoutShop({ chains: ['bitcoin'] });
  const { context, accountId } = made;
  await made.fund('BTC', funds);
  const { id } = await context.db
    .selectFrom('wallet')
    .select('id')
    .where('chain', '=', 'bitcoin')
    .executeTakeFirstOrThrow();
  const terms = {
    wallet: id,
    keep_amount: '0.2',
    recipient_address: ADDRESS.BTC,
    is_enabled: true,
    interval: 5,
  };
  await createAutomaticPayout(context, { accountId, name: 'operator', overApi: false }, terms);
  context.clock.advance(5 * MINUTE);
  replaceSender(context, 'bitcoin', ({ estimate }) => ({ estimate: sleepy(estimate, sleep) }));
  return { shop: made, work: () => runAutomaticPayouts(context) };
}

async function deposit(sleep: () => Promise<void>, call: 'estimate' | 'lookUp'): Promise<Scene> {
  const made = await sweepShop({ chains: ['ethereum'] });
  const { context } = made;
  await made.deposit('ETH', '2');
  await made.sweep();
  context.clock.advance(context.config.sweepAfterMinutes * MINUTE);
  if (call === 'lookUp') {
    await made.sweep();
    await made.world.mine('ethereum', 12);
  }
  replaceSender(context, 'ethereum', ({ sweeping }) => ({
    sweeping: {
      ...sweeping!,
      from: (address) => {
        const sender = sweeping!.from(address);
        return { ...sender, [call]: sleepy<never[], unknown>(sender[call], sleep) };
      },
    },
  }));
  return { shop: made, work: () => sweepDeposits(context) };
}

/**
 * State that must not change: statuses, money, callbacks, and what is sent. Notes about a chain's
 * answer may change.
 */
async function everything({ db }: Context): Promise<Record<string, unknown[]>> {
  const read = async (table: string, columns = '*') =>
    (await sql`select ${sql.raw(columns)} from ${sql.table(table)} order by 1, 2, 3, 4`.execute(db))
      .rows;
  const rows: Record<string, unknown[]> = {
    sent: await read('outgoing', 'id, purpose, nonce, tries'),
    attempts: await read('outgoing_attempt', 'outgoing_id, number, intent, plan::text, raw, txid'),
  };
  const states = [
    'payout',
    'payout_recipient',
    'conversion',
    'automatic_rule',
    'automatic_payout',
    'sweep',
    'deposit',
  ];
  for (const table of [...states, 'posting', 'balance', 'callback', 'sandbox_transaction'])
    rows[table] = await read(table);
  return rows;
}

/** Another process takes the lease while the worker is paused. */
type TakeOver = (scene: Scene) => Promise<void>;

const nobody: TakeOver = async () => {};
/** The worker has changed nothing yet. */
const begins: TakeOver = async ({ shop: { context } }) => {
  await sql`update lease set holder = 'another', fence = fence + 1, until = clock_timestamp() + interval '1 minute'
    where until > clock_timestamp()`.execute(context.db);
};
const finishes: TakeOver = async ({ shop: { context }, work }) => {
  await sql`update lease set until = clock_timestamp() - interval '1 second'`.execute(context.db);
  await work();
};

/** @returns the state when it was paused, when it resumed, and at its end */
async function sleepThrough(
  build: (sleep: () => Promise<void>) => Promise<Scene>,
  takeOver: TakeOver,
) {
  const seen: Record<string, unknown[]>[] = [];
  const scene = await build(async () => {
    // Only the first call pauses.
    if (seen.length > 0) return;
    seen.push(await everything(scene.shop.context));
    await takeOver(scene);
    seen.push(await everything(scene.shop.context));
  });
  shop = scene.shop;
  await scene.work();
  await requirePayoutBooks(scene.shop);
  const [asleep, awake] = seen;
  return { asleep: asleep!, awake: awake!, end: await everything(scene.shop.context) };
}

describe.each<[string, (sleep: () => Promise<void>) => Promise<Scene>]>([
  ['looks after what it sent', sentPayout],
  ['sends a payout', newPayout],
  ['carries a conversion out', conversion],
  ['looks at an automatic rule', automaticConversion],
  ['runs an automatic payout', automaticPayout],
  ['begins to move a deposit', (sleep) => deposit(sleep, 'estimate')],
  ['looks after a deposit that it moved', (sleep) => deposit(sleep, 'lookUp')],
])('a worker that %s and pauses in the middle', (_, scene) => {
  it('completes while no other process takes its lease', async () => {
    const { asleep, awake, end } = await sleepThrough(scene, nobody);
    expect(awake).toEqual(asleep);
    expect(end).not.toEqual(asleep);
  });

  it('changes nothing once another has its lease', async () => {
    const { awake, end } = await sleepThrough(scene, begins);
    expect(end).toEqual(awake);
  });

  it('overwrites nothing that another has done meanwhile', async () => {
    const { asleep, awake, end } = await sleepThrough(scene, finishes);
    expect(awake).not.toEqual(asleep);
    expect(end).toEqual(awake);
  });
});

it('an automatic payout created by another process meanwhile is not repeated', async () => {
  const { awake, end } = await sleepThrough((sleep) => automaticPayout(sleep, '1'), finishes);
  expect(awake['payout']).toHaveLength(1);
  expect(end).toEqual(awake);
});
