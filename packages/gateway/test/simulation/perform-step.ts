import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { kindOf, type ChainId } from '@crypto-checkout/protocol/kind';
import type { Hono } from 'hono';
import { sql } from 'kysely';
import { payInvoice, type PayRequest } from '../../src/sandbox/pay.ts';
import { scanChain } from '../../src/engine/scan.ts';
import { endLeases } from '../../src/database/lease.ts';
import type { Env } from '../../src/http/env.ts';
import { call, type TestAnswer } from '../support/call.ts';
import { runAutomaticPayouts } from '../../src/automation/payout/run.ts';
import { sweepDeposits } from '../../src/sweep/sweep.ts';
import { processConversions } from '../../src/conversion/process.ts';
import { runAutomaticRules } from '../../src/automation/run-rules.ts';
import { expireInvoices } from '../../src/settlement/expire-invoices.ts';
import { payoutFunding } from '../../src/payout/sending/conversion-funding.ts';
import { processPayouts } from '../../src/payout/sending/process.ts';
import { quarantineTransaction, releaseTransaction } from '../../src/risk/quarantine.ts';
import { SIMULATED_CHAINS, type SimulatedGateway } from './simulated-gateway.ts';
import { InvariantViolation } from './invariant-violation.ts';
import {
  createPayout,
  isScheduledLater,
  payoutPayload,
  rejectWhileProcessing,
  repeatPayout,
  WAITING_STATUSES,
} from './payout-steps.ts';
import { decideRefund, requestRefund } from './refund-steps.ts';
import {
  chainOf,
  ignoreRejection,
  pick,
  request,
  shareOf,
  walletOf,
  type SimulationState,
  type StepOf,
} from './simulation-state.ts';
import type { Step } from './steps.ts';

type Performer = (state: SimulationState, step: never) => Promise<void>;

const PERFORMERS: {
  readonly [Name in Step['do']]: (state: SimulationState, step: StepOf<Name>) => Promise<void>;
} = {
  'create invoice': createInvoice,
  pay: payStep,
  'pay late': payLate,
  mine: async (state, { chain, blocks }) =>
    onChain(state, selectChain(state, chain), (world, name) => world.mine(name, blocks)),
  reorganise: async (state, { chain, depth, drop }) =>
    onChain(state, selectChain(state, chain), (world, name) => world.reorganise(name, depth, drop)),
  replace: async (state, { transaction, paysUs }) => {
    const found = await selectTransaction(state, transaction, ['mempool']);
    // Only the gateway can sign replacements that pay its recipients.
    if (found)
      await onChain(state, found.chain, (world) =>
        world.replace(found.txid, paysUs && !found.isOurs),
      );
  },
  drop: async (state, { transaction }) => {
    const found = await selectTransaction(state, transaction, ['mempool']);
    if (found) await onChain(state, found.chain, (world) => world.drop(found.txid));
  },
  fail: async (state, { transaction }) => {
    const found = await selectTransaction(state, transaction, ['mempool', 'young block']);
    if (found) await onChain(state, found.chain, (world) => world.fail(found.txid));
  },
  'renew invoice': async (state, { invoice, extend }) => {
    const found = pick(state.invoices, invoice);
    if (!found) return;
    const { rows } = await sql`
      select id, status from transaction where invoice_id = ${found.id} and counted and amount > refunded and status not in ('replaced', 'failed', 'quarantined')
        and (in_mempool or block_height is not null)`.execute(state.gateway.context.db);
    const { status } = await request(state, 'POST', `/v1/invoices/${found.id}/renew/`, { extend });
    if (status === 200 && rows.length > 0)
      throw new InvariantViolation('a paid invoice is not renewed', rows);
  },
  'advance clock': async (state, { seconds }) => {
    state.gateway.context.clock.advance(seconds * 1000);
    // Invoices expire only after their chain was scanned to its tip.
    for (const chain of SIMULATED_CHAINS) state.unread.add(chain);
  },
  'change rates': async ({ gateway }, { percent }) =>
    void (gateway.environment.ratePercent = percent),
  'change fees': async ({ gateway }, { times }) => void (gateway.environment.feeTimes = times),
  'create payout': async (state, { order }) => void (await createPayout(state, order)),
  'repeat payout': repeatPayout,
  'approve or reject': async (state, { payout, approve }) => {
    const found = pick(state.payouts, payout);
    if (!found) return;
    const before = await request(state, 'GET', `/v1/payouts/${found.id}/`, {});
    const after = await request(
      state,
      'PUT',
      `/v1/payouts/${found.id}/`,
      { approve },
      state.gateway.account.approve,
    );
    if (after.status !== 200) return;
    const { status } = before.body.result;
    const isDecidable =
      status === 'draft' ||
      (approve
        ? status === 'awaiting_policies'
        : WAITING_STATUSES.includes(status) ||
          (status === 'new' && isScheduledLater(state, found)));
    if (!isDecidable || (after.body.result.status === 'rejected') === approve)
      throw new InvariantViolation('only drafts and waiting payouts are approved or rejected', {
        before,
        approve,
        after,
      });
  },
  'approve and reject': async (state, { payout }) => {
    const found = pick(state.payouts, payout);
    if (!found) return;
    const answers = await Promise.all(
      [true, false, true, false].map((approve) =>
        call(state.gateway.app, state.gateway.parallelApprove, 'PUT', `/v1/payouts/${found.id}/`, {
          approve,
        }),
      ),
    );
    // A scheduled payout that is approved can still be rejected before its date.
    const decisions = answers
      .filter(({ status }) => status === 200)
      .map(({ body }) => body.result.status);
    if (
      new Set(decisions).size < decisions.length ||
      (decisions.length > 1 && !isScheduledLater(state, found))
    )
      throw new InvariantViolation('a draft is approved or rejected once', answers);
  },
  'reject while processing': rejectWhileProcessing,
  'change settings': async ({ gateway }, { reserve, addressDelaySeconds }) => {
    gateway.environment.addressDelaySeconds = addressDelaySeconds;
    // The ETH wallet is the reserve wallet.
    const wallet = reserve
      ? sql`jsonb_build_object('kind', 'ETH', 'wallet_id', (select wallet_id from profile_currency where profile_id = profile.id and kind = 'ETH'))`
      : sql`null`;
    await sql`update profile set reserve_wallet = ${wallet}`.execute(gateway.context.db);
  },
  'change checks': async ({ gateway }, { risk, isZeroConfSafe }) =>
    void Object.assign(gateway.environment, { risk, isZeroConfSafe }),
  quarantine: async ({ gateway }, { transaction, release }) => {
    const { rows } = await sql<{
      id: string;
    }>`select id from transaction order by number desc limit 6`.execute(gateway.context.db);
    const found = pick(rows, transaction);
    const verb = release ? releaseTransaction : quarantineTransaction;
    if (found)
      await verb(gateway.context, gateway.account.account_id, found.id, 'operator').catch(
        ignoreRejection,
      );
  },
  'create conversion': createConversion,
  'approve conversion': async (state, { conversion, approve }) => {
    const id = pick(state.conversions, conversion);
    if (id === undefined) return;
    const { status } =
      approve === null
        ? await request(state, 'DELETE', `/v1/conversions/${id}/`, {})
        : await request(state, 'PUT', `/v1/conversions/${id}/`, { is_approved: approve });
    if (approve === null && status === 200)
      state.conversions = state.conversions.filter((other) => other !== id);
  },
  'create automatic rule': async (state, { type, from, to, keep, max, enable }) => {
    const pair = {
      from_wallet: await walletOf(state, from),
      from_kind: from,
      to_wallet: await walletOf(state, to),
      to_kind: to,
    };
    const rule = { min_amount: '0.1', max_amount: max, keep_amount: keep, is_enabled: enable };
    const payout = {
      wallet: pair.from_wallet,
      kind: from,
      keep_amount: keep,
      min_amount: '0.1',
      interval: 5,
      is_enabled: enable,
    };
    if (type === 'payout')
      await request(state, 'POST', '/v1/automatic-payouts/', {
        ...payout,
        recipient_address: AUTOMATIC_RECIPIENTS[from],
      });
    else
      await request(
        state,
        'POST',
        type === 'funding' ? '/v1/automatic-funding/' : '/v1/automatic-conversions/',
        { ...pair, ...rule },
      );
  },
  'change node': async ({ gateway }, { chain, fault }) => {
    const name = MINED_CHAINS[chain]!;
    if (fault === null) gateway.environment.faults.delete(name);
    else gateway.environment.faults.set(name, fault);
  },
  'crash worker': crashWorker,
  'crash during payout request': async (state, { steps, order }) => {
    const payload = await payoutPayload(state, order);
    const answer = await withCrash(state, steps, (app) =>
      call(app, state.gateway.account.api, 'POST', '/v1/payouts/', payload),
    );
    if (answer?.status === 201) state.payouts.push({ id: answer.body.result.id, payload });
    // Without a response the shop repeats the request with the same reference.
    const repeated = await request(state, 'POST', '/v1/payouts/', payload);
    if (repeated.status === 201 && answer !== null && answer.status < 300)
      throw new InvariantViolation('one reference creates one payout', { answer, repeated });
    if (repeated.status < 300 && !state.payouts.some(({ id }) => id === repeated.body.result.id))
      state.payouts.push({ id: repeated.body.result.id, payload });
  },
  'crash during invoice request': async (state, { steps }) => {
    const payload = {
      profile_id: state.gateway.account.profile_id,
      kind: 'BTC',
      amount: '5',
      currency: 'USD',
    };
    await withCrash(state, steps, (app) =>
      call(app, state.gateway.account.api, 'POST', '/v1/invoices/', payload),
    );
  },
  'request refund': requestRefund,
  'decide refund': decideRefund,
  'concurrent requests': sendConcurrently,
  'invalid request': sendInvalidRequest,
};

/** Simulated chains with blocks. */
const MINED_CHAINS = ['bitcoin', 'ethereum', 'xrp', 'ton'] as const;

/**
 * Every second number selects the latest paid chain. The others select a used chain, because blocks
 * of unused ones are empty.
 */
function selectChain({ invoices, payouts, lastPaid }: SimulationState, number: number): ChainId {
  if (lastPaid !== null && number % 2 === 0) return lastPaid;
  const used = new Set(
    [
      ...invoices.map(({ kind }) => kind),
      ...payouts.map(({ payload }) => String(payload['kind'])),
    ].map(chainOf),
  );
  return (
    pick(
      MINED_CHAINS.filter((chain) => used.has(chain)),
      number,
    ) ?? MINED_CHAINS[number]!
  );
}

/**
 * Performs a step through the HTTP interface and on the simulated chains. A step that is impossible
 * at this moment is rejected without effect.
 */
export function performStep(state: SimulationState, step: Step): Promise<void> {
  return (PERFORMERS[step.do] as Performer)(state, step as never);
}

async function onChain(
  state: SimulationState,
  chain: ChainId,
  work: (world: SimulatedGateway['world'], chain: ChainId) => Promise<unknown>,
): Promise<void> {
  state.unread.add(chain);
  await work(state.gateway.world, chain).catch(ignoreRejection);
}

async function createInvoice(
  state: SimulationState,
  { kind, amount, confirmations, fee, expiration, zeroConf }: StepOf<'create invoice'>,
): Promise<void> {
  const { body, status } = await request(state, 'POST', '/v1/invoices/', {
    profile_id: state.gateway.account.profile_id,
    kind,
    currency: 'USD',
    ...(amount === null ? {} : { amount }),
    ...(confirmations === undefined ? {} : { min_confirmations: confirmations }),
    ...(fee === undefined ? {} : { fee_amount: fee }),
    ...(zeroConf === true ? { zero_conf_enabled: true } : {}),
    ...(expiration === undefined ? {} : { invoice_expiration: expiration }),
  });
  if (status === 201) state.invoices.push({ id: body.result.id, kind, amount });
}

async function payStep(
  state: SimulationState,
  { invoice, percent, outputs, other }: StepOf<'pay'>,
): Promise<void> {
  const found = pick(state.invoices, invoice);
  if (found) await pay(state, found, percent, outputs, other);
}

async function payLate(
  state: SimulationState,
  { invoice, percent }: StepOf<'pay late'>,
): Promise<void> {
  const found = pick(state.invoices, invoice);
  if (!found) return;
  const { gateway } = state;
  const { expires_at } = await gateway.context.db
    .selectFrom('invoice')
    .select('expires_at')
    .where('id', '=', found.id)
    .executeTakeFirstOrThrow();
  if (expires_at !== null)
    gateway.environment.now = Math.max(gateway.environment.now, Date.parse(expires_at) + 1_000);
  for (const chain of SIMULATED_CHAINS) state.unread.add(chain);
  await pay(state, found, percent, 1);
}

async function pay(
  state: SimulationState,
  { id, kind: name }: SimulationState['invoices'][number],
  percent: number | null,
  outputs: number,
  other?: StepOf<'pay'>['other'],
): Promise<void> {
  const { context, world } = state.gateway;
  const { chain, decimals } = kindOf(name)!;
  const payment: Omit<PayRequest, 'invoiceId'> =
    other === 'token'
      ? { kind: name === 'ETH_USDT' ? 'ETH' : 'ETH_USDT', amount: '5' }
      : percent === null
        ? {}
        : {
            outputs: await equalOutputs(
              state,
              id,
              percent,
              chain === 'lightning' ? 1 : outputs,
              Math.min(decimals, 8),
            ),
          };
  const tag = other === 'tag' ? { tag: '77' } : other === 'no tag' ? { tag: null } : {};
  state.unread.add(chain);
  if (chain !== 'lightning') state.lastPaid = chain;
  await payInvoice(context, world, { invoiceId: id, ...payment, ...tag }).catch(ignoreRejection);
}

/** A percentage of the invoiced amount, split into equal outputs. */
async function equalOutputs(
  { gateway }: SimulationState,
  id: string,
  percent: number,
  outputs: number,
  decimals: number,
): Promise<string[]> {
  const { invoiced } = await gateway.context.db
    .selectFrom('invoice')
    .select('invoiced')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const unit = 10n ** BigInt(18 - decimals);
  const share = (parseAmount(invoiced ?? '0.04') * BigInt(percent)) / 100n / BigInt(outputs);
  const rounded = share - (share % unit);
  return Array.from({ length: outputs }, () => formatAmount(rounded > 0n ? rounded : unit));
}

async function selectTransaction(
  { gateway }: SimulationState,
  number: number,
  where: readonly ('mempool' | 'young block')[],
) {
  const { rows } = await sql<{ txid: string; chain: ChainId; isOurs: boolean }>`
    select t.txid, t.chain, exists (select 1 from outgoing_attempt o where o.txid = t.txid) as "isOurs"
    from sandbox_transaction t join sandbox_chain c using (chain) left join sandbox_block b on b.chain = t.chain and b.hash = t.block_hash
    where t.state = 'mempool' or (${where.includes('young block')} and t.state = 'block' and c.height - b.height < 2 and t.chain <> 'xrp'
      and not exists (select 1 from outgoing_attempt o where o.txid = t.txid))
    order by t.number`.execute(gateway.context.db);
  return pick(rows, number);
}

/**
 * Runs `work` in a process that crashes after this many operations.
 * @returns null when it crashed before it answered
 */
async function withCrash(
  state: SimulationState,
  steps: number,
  work: (app: Hono<Env>) => Promise<TestAnswer>,
): Promise<TestAnswer | null> {
  const { crashing, context } = state.gateway;
  crashing.surviveFor(steps);
  const answer = await work(crashing.app).catch(() => null);
  const crashed = crashing.isKilled();
  if (crashed) await crashing.waitUntilIdle();
  crashing.surviveFor(Number.POSITIVE_INFINITY);
  await endLeases(context.db);
  return crashed && answer !== null && answer.status >= 500 ? null : answer;
}

/** Crashes the worker between two operations; the next one continues its work. */
async function crashWorker(
  state: SimulationState,
  { steps }: StepOf<'crash worker'>,
): Promise<void> {
  const { crashing, context } = state.gateway;
  crashing.surviveFor(steps);
  const tasks = [
    ...[...state.unread].map((chain) => () => scanChain(crashing.context, chain)),
    () => expireInvoices(crashing.context),
    () => processPayouts(crashing.context),
    () => sweepDeposits(crashing.context),
    () => runAutomaticRules(crashing.context),
    () => processConversions(crashing.context, { payoutFunding: payoutFunding(crashing.context) }),
    () => runAutomaticPayouts(crashing.context),
  ];
  for (const task of tasks) {
    if (!crashing.isKilled()) await task().catch(() => {});
  }
  if (crashing.isKilled()) await crashing.waitUntilIdle();
  crashing.surviveFor(Number.POSITIVE_INFINITY);
  await endLeases(context.db);
}

/** Creates payouts, scans and expires invoices concurrently. */
async function sendConcurrently(
  state: SimulationState,
  { orders }: StepOf<'concurrent requests'>,
): Promise<void> {
  const { gateway } = state;
  const { context } = gateway;
  const payloads = await Promise.all(orders.map((order) => payoutPayload(state, order)));
  const scans = [...state.unread].map((chain) => scanChain(context, chain).catch(() => {}));
  const answers = await Promise.all(
    payloads.map((payload) => call(gateway.app, gateway.parallel, 'POST', '/v1/payouts/', payload)),
  );
  await Promise.all([...scans, expireInvoices(context), processPayouts(context)]);
  for (const [at, { status, body }] of answers.entries()) {
    if (status === 201) state.payouts.push({ id: body.result.id, payload: payloads[at]! });
    if (
      status >= 500 &&
      gateway.environment.faults.size === 0 &&
      gateway.environment.ratePercent !== null
    )
      throw new InvariantViolation('a request is not answered with 5xx', body);
  }
}

/** Recipients of automatic payouts, which are paid repeatedly. */
export const AUTOMATIC_RECIPIENTS = {
  BTC: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
  ETH: '0x52908400098527886E0F7030069857D2E4169EE7',
  ETH_USDT: '0x52908400098527886E0F7030069857D2E4169EE7',
  XRP: 'rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH:1',
  // The form that payouts store, so that the rule finds its payouts.
  TON: '0QCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqPvC',
} as const;

async function createConversion(
  state: SimulationState,
  { from, to, percent, approve }: StepOf<'create conversion'>,
): Promise<void> {
  const amount = await shareOf(state, from, percent, 1);
  const pair = {
    from_wallet: await walletOf(state, from),
    from_kind: from,
    to_wallet: await walletOf(state, to),
    to_kind: to,
  };
  const { status, body } = await request(state, 'POST', '/v1/conversions/', {
    ...pair,
    amount,
    is_approved: approve,
  });
  if (status === 201) state.conversions.push(body.result.id as string);
}

/** Sends a request that must be rejected. */
async function sendInvalidRequest(
  state: SimulationState,
  { variant, invoice }: StepOf<'invalid request'>,
): Promise<void> {
  const { account } = state.gateway;
  const id = pick(state.invoices, invoice)?.id ?? account.profile_id;
  const calls: (readonly [string, string, Record<string, unknown>])[] = [
    [
      'POST',
      '/v1/invoices/',
      { profile_id: account.profile_id, kind: 'BTC', currency: 'USD', amount: '-1' },
    ],
    [
      'POST',
      '/v1/invoices/',
      { profile_id: account.account_id, kind: 'BTC', currency: 'USD', amount: '1' },
    ],
    [
      'POST',
      '/v1/invoices/',
      { profile_id: account.profile_id, kind: 'LTC', currency: 'USD', amount: '1' },
    ],
    ['POST', '/v1/payouts/', { profile_id: account.profile_id, kind: 'BTC', recipients: [] }],
    [
      'POST',
      '/v1/payouts/',
      {
        profile_id: account.profile_id,
        kind: 'ETH',
        recipients: [{ amount: '1', currency: 'ETH', address: id }],
      },
    ],
    ['PUT', `/v1/payouts/${id}/`, { approve: true }],
    ['GET', `/v1/transactions/${id}/`, {}],
    ['GET', '/v1/invoices/', { p: '0' }],
    ['POST', `/v1/payouts/${id}/resend-callback/`, {}],
  ];
  const [method, path, members] = pick(calls, variant)!;
  const { status } = await request(state, method, path, members);
  if (status < 400)
    throw new InvariantViolation('an invalid request is rejected', {
      method,
      path,
      members,
      status,
    });
}
