import { createHash } from 'node:crypto';
import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { kindOf, type ChainId } from '@crypto-checkout/protocol/kind';
import { bech32, hex } from '@scure/base';
import type { Hono } from 'hono';
import { sql } from 'kysely';
import { payInvoice, type PayRequest } from '../../src/chain/sandbox/pay.ts';
import { scanChain } from '../../src/chain/scan.ts';
import { timestamp } from '../../src/database/timestamp.ts';
import { endLeases } from '../../src/database/lease.ts';
import type { Env } from '../../src/http/env.ts';
import { ServiceError } from '../../src/http/error.ts';
import { call, type TestAnswer, type TestKey } from '../../src/http/test-call.ts';
import { runAutomaticPayouts } from '../../src/automatic-payout/run.ts';
import { consolidateDeposits } from '../../src/consolidation/consolidate.ts';
import { processConversions } from '../../src/conversion/process.ts';
import { automate } from '../../src/exchange/automate.ts';
import { expireInvoices } from '../../src/invoice/expire.ts';
import { processPayouts } from '../../src/payout/process.ts';
import { quarantineTransaction, releaseTransaction } from '../../src/risk/quarantine.ts';
import { ARENA_CHAINS, COINS, type Arena } from './arena.ts';
import { Broken } from './broken.ts';
import type { Coin, PayoutOrder, Step } from './steps.ts';

/** What a shop knows of a seed so far, and what the worker has still to look at. */
export interface Play {
  arena: Arena;
  invoices: { id: string; kind: string; amount: string | null }[];
  payouts: { id: string; payload: Record<string, unknown> }[];
  conversions: string[];
  /** A chain with blocks, where a payment or payout went last. */
  lastPaid: ChainId | null;
  /** Chains on which something happened that was not read yet. */
  unread: Set<ChainId>;
}

type Of<Name extends Step['do']> = Extract<Step, { do: Name }>;
type Performer = (play: Play, step: never) => Promise<void>;

const PERFORMERS: { readonly [Name in Step['do']]: (play: Play, step: Of<Name>) => Promise<void> } = {
  create: createInvoice,
  pay: payStep,
  'pay late': payLate,
  mine: async (play, { chain, blocks }) => inWorld(play, busyChain(play, chain), (world, name) => world.mine(name, blocks)),
  reorganise: async (play, { chain, depth, drop }) =>
    inWorld(play, busyChain(play, chain), (world, name) => world.reorganise(name, depth, drop)),
  replace: async (play, { transaction, paysUs }) => {
    const found = await someTransaction(play, transaction, ['mempool']);
    // Nobody but us signs what pays our recipients.
    if (found) await inWorld(play, found.chain, (world) => world.replace(found.txid, paysUs && !found.isOurs));
  },
  drop: async (play, { transaction }) => {
    const found = await someTransaction(play, transaction, ['mempool']);
    if (found) await inWorld(play, found.chain, (world) => world.drop(found.txid));
  },
  fail: async (play, { transaction }) => {
    const found = await someTransaction(play, transaction, ['mempool', 'young block']);
    if (found) await inWorld(play, found.chain, (world) => world.fail(found.txid));
  },
  renew: async (play, { invoice, extend }) => {
    const found = chosen(play.invoices, invoice);
    if (!found) return;
    const { rows } = await sql`
      select id, status from transaction where invoice_id = ${found.id} and counted and status not in ('replaced', 'failed', 'quarantined')
        and (in_mempool or block_height is not null)`.execute(play.arena.context.db);
    const { status } = await ask(play, 'POST', `/v1/invoices/${found.id}/renew/`, { extend });
    if (status === 200 && rows.length > 0) throw new Broken('whoever paid is not asked for another price', rows);
  },
  advance: async (play, { seconds }) => {
    play.arena.context.clock.advance(seconds * 1000);
    // An invoice expires when its chain was read up to its end.
    for (const chain of ARENA_CHAINS) play.unread.add(chain);
  },
  price: async ({ arena }, { percent }) => void (arena.weather.price = percent),
  'pay out': async (play, { order }) => void (await payOut(play, order)),
  'pay out again': payOutAgain,
  decide: async (play, { payout, approve }) => {
    const found = chosen(play.payouts, payout);
    if (!found) return;
    const before = await ask(play, 'GET', `/v1/payouts/${found.id}/`, {});
    const after = await ask(play, 'PUT', `/v1/payouts/${found.id}/`, { approve }, play.arena.account.approve);
    if (after.status !== 200) return;
    const { status } = before.body.result;
    const could =
      status === 'draft' ||
      (approve ? status === 'awaiting_policies' : WAITING.includes(status) || (status === 'new' && isAhead(play, found)));
    if (!could || (after.body.result.status === 'rejected') === approve)
      throw new Broken('only a draft is decided, or one that waits, and as it was said', { before, approve, after });
  },
  'decide both': async (play, { payout }) => {
    const found = chosen(play.payouts, payout);
    if (!found) return;
    const answers = await Promise.all(
      [true, false, true, false].map((approve) =>
        call(play.arena.app, play.arena.parallelApprove, 'PUT', `/v1/payouts/${found.id}/`, { approve }),
      ),
    );
    // One that is approved before its date can be rejected until then.
    const decisions = answers.filter(({ status }) => status === 200).map(({ body }) => body.result.status);
    if (new Set(decisions).size < decisions.length || (decisions.length > 1 && !isAhead(play, found)))
      throw new Broken('a draft is decided once', answers);
  },
  'reject at work': rejectAtWork,
  house: async ({ arena }, { reserve, addressDelay }) => {
    arena.weather.addressDelay = addressDelay;
    // What a payout lacks comes out of the ETH wallet.
    const wallet = reserve
      ? sql`jsonb_build_object('kind', 'ETH', 'wallet_id', (select wallet_id from profile_currency where profile_id = profile.id and kind = 'ETH'))`
      : sql`null`;
    await sql`update profile set reserve_wallet = ${wallet}`.execute(arena.context.db);
  },
  outlook: async ({ arena }, outlook) => void Object.assign(arena.weather, { risk: outlook.risk, safe: outlook.safe }),
  quarantine: async ({ arena }, { transaction, release }) => {
    const { rows } = await sql<{ id: string }>`select id from transaction order by number desc limit 6`.execute(arena.context.db);
    const found = chosen(rows, transaction);
    const verb = release ? releaseTransaction : quarantineTransaction;
    if (found) await verb(arena.context, arena.account.account_id, found.id, 'operator').catch(refused);
  },
  convert,
  'decide conversion': async (play, { conversion, approve }) => {
    const id = chosen(play.conversions, conversion);
    if (id === undefined) return;
    const { status } =
      approve === null
        ? await ask(play, 'DELETE', `/v1/conversions/${id}/`, {})
        : await ask(play, 'PUT', `/v1/conversions/${id}/`, { is_approved: approve });
    if (approve === null && status === 200) play.conversions = play.conversions.filter((other) => other !== id);
  },
  automate: async (play, { what, from, to, keep, max, enable }) => {
    const pair = { from_wallet: await walletOf(play, from), from_kind: from, to_wallet: await walletOf(play, to), to_kind: to };
    const rule = { min_amount: '0.1', max_amount: max, keep_amount: keep, is_enabled: enable };
    const payout = { wallet: pair.from_wallet, kind: from, keep_amount: keep, min_amount: '0.1', interval: 5, is_enabled: enable };
    if (what === 'payout') await ask(play, 'POST', '/v1/automatic-payouts/', { ...payout, recipient_address: AUTOMATIC[from] });
    else await ask(play, 'POST', what === 'funding' ? '/v1/automatic-funding/' : '/v1/automatic-conversions/', { ...pair, ...rule });
  },
  node: async ({ arena }, { chain, trouble }) => {
    const name = MINED[chain]!;
    if (trouble === null) arena.weather.down.delete(name);
    else arena.weather.down.set(name, trouble);
  },
  'die at work': dieAtWork,
  'die at a request': async (play, { steps, order }) => {
    const payload = await payoutPayload(play, order);
    const died = await dying(play, steps, (app) => call(app, play.arena.account.api, 'POST', '/v1/payouts/', payload));
    if (died?.status === 201) play.payouts.push({ id: died.body.result.id, payload });
    // Whoever hears nothing asks again, with the same reference.
    const again = await ask(play, 'POST', '/v1/payouts/', payload);
    if (again.status === 201 && died !== null && died.status < 300) throw new Broken('one reference is one payout', { died, again });
    if (again.status < 300 && !play.payouts.some(({ id }) => id === again.body.result.id))
      play.payouts.push({ id: again.body.result.id, payload });
  },
  'die creating': async (play, { steps }) => {
    const payload = { profile_id: play.arena.account.profile_id, kind: 'BTC', amount: '5', currency: 'USD' };
    await dying(play, steps, (app) => call(app, play.arena.account.api, 'POST', '/v1/invoices/', payload));
  },
  storm,
  nonsense,
};

/** What can be stopped, beside drafts. */
const WAITING: readonly string[] = ['scheduled', 'awaiting_funds', 'awaiting_policies'];

/** Whether its date is still to come: until then it can be stopped although it is `new`. */
const isAhead = ({ arena }: Play, { payload }: Play['payouts'][number]): boolean =>
  typeof payload['scheduled_at'] === 'string' && Date.parse(payload['scheduled_at']) > arena.context.clock.now();

/** Those that have blocks. */
const MINED = ['bitcoin', 'ethereum', 'xrp', 'ton'] as const;

/** The one on which somebody paid last, for every second number; otherwise one on which something may happen: the others' blocks are empty. */
function busyChain({ invoices, payouts, lastPaid }: Play, number: number): ChainId {
  if (lastPaid !== null && number % 2 === 0) return lastPaid;
  const used = new Set([...invoices.map(({ kind }) => kind), ...payouts.map(({ payload }) => String(payload['kind']))].map(chainOf));
  return (
    chosen(
      MINED.filter((chain) => used.has(chain)),
      number,
    ) ?? MINED[number]!
  );
}

const chainOf = (kind: string): ChainId | undefined => kindOf(kind)?.chain;

/** Does what a step says, through the HTTP interface and in the world outside; what is not possible at this moment is refused. */
export function perform(play: Play, step: Step): Promise<void> {
  return (PERFORMERS[step.do] as Performer)(play, step as never);
}

async function inWorld(play: Play, chain: ChainId, work: (world: Arena['world'], chain: ChainId) => Promise<unknown>): Promise<void> {
  play.unread.add(chain);
  await work(play.arena.world, chain).catch(refused);
}

/** The world says no to what can't be; anything else is a mistake. */
function refused(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}

const chosen = <T>(list: readonly T[], number: number): T | undefined => list[number % Math.max(1, list.length)];

/**
 * A signed request whose answer is checked: no 5xx while everything that it needs is there, a reason on every refusal, and nothing
 * changed by a refused one.
 */
async function ask(
  play: Play,
  method: string,
  path: string,
  members: Record<string, unknown>,
  key: TestKey = play.arena.account.api,
): Promise<TestAnswer> {
  const { arena } = play;
  const before = await arena.digest();
  const answer = await call(arena.app, key, method, path, members);
  if (answer.status < 300) return answer;
  const isDown = arena.weather.down.size > 0 || arena.weather.price === null;
  if (answer.status >= 500 && !(isDown && answer.status === 503)) throw new Broken('a request is never a 5xx', { path, members, answer });
  if (answer.status < 500 && typeof answer.body.reason !== 'string') throw new Broken('a refusal has a reason', { path, answer });
  const after = answer.status < 500 ? await arena.digest() : before;
  if (after !== before)
    throw new Broken('a refused call changes nothing', { path, members, answer, changed: changedTables(before, after) });
  return answer;
}

/** Which tables two digests tell apart. */
function changedTables(before: string, after: string): string[] {
  const known = new Set(before.split(' '));
  return after.split(' ').filter((table) => !known.has(table));
}

async function createInvoice(play: Play, { kind, amount, confirmations, fee, expiration, zeroConf }: Of<'create'>): Promise<void> {
  const { body, status } = await ask(play, 'POST', '/v1/invoices/', {
    profile_id: play.arena.account.profile_id,
    kind,
    currency: 'USD',
    ...(amount === null ? {} : { amount }),
    ...(confirmations === undefined ? {} : { min_confirmations: confirmations }),
    ...(fee === undefined ? {} : { fee_amount: fee }),
    ...(zeroConf === true ? { zero_conf_enabled: true } : {}),
    ...(expiration === undefined ? {} : { invoice_expiration: expiration }),
  });
  if (status === 201) play.invoices.push({ id: body.result.id, kind, amount });
}

async function payStep(play: Play, { invoice, percent, outputs, other }: Of<'pay'>): Promise<void> {
  const found = chosen(play.invoices, invoice);
  if (found) await pay(play, found, percent, outputs, other);
}

async function payLate(play: Play, { invoice, percent }: Of<'pay late'>): Promise<void> {
  const found = chosen(play.invoices, invoice);
  if (!found) return;
  const { arena } = play;
  const { expires_at } = await arena.context.db
    .selectFrom('invoice')
    .select('expires_at')
    .where('id', '=', found.id)
    .executeTakeFirstOrThrow();
  if (expires_at !== null) arena.weather.now = Math.max(arena.weather.now, Date.parse(expires_at) + 1_000);
  for (const chain of ARENA_CHAINS) play.unread.add(chain);
  await pay(play, found, percent, 1);
}

async function pay(
  play: Play,
  { id, kind: name }: Play['invoices'][number],
  percent: number | null,
  outputs: number,
  other?: Of<'pay'>['other'],
): Promise<void> {
  const { context, world } = play.arena;
  const { chain, decimals } = kindOf(name)!;
  const how: Omit<PayRequest, 'invoiceId'> =
    other === 'token'
      ? { kind: name === 'ETH_USDT' ? 'ETH' : 'ETH_USDT', amount: '5' }
      : percent === null
        ? {}
        : { outputs: await parts(play, id, percent, chain === 'lightning' ? 1 : outputs, Math.min(decimals, 8)) };
  const tag = other === 'tag' ? { tag: '77' } : other === 'no tag' ? { tag: null } : {};
  play.unread.add(chain);
  if (chain !== 'lightning') play.lastPaid = chain;
  await payInvoice(context, world, { invoiceId: id, ...how, ...tag }).catch(refused);
}

/** A share of what is asked, in equal outputs. */
async function parts({ arena }: Play, id: string, percent: number, outputs: number, decimals: number): Promise<string[]> {
  const { invoiced } = await arena.context.db.selectFrom('invoice').select('invoiced').where('id', '=', id).executeTakeFirstOrThrow();
  const unit = 10n ** BigInt(18 - decimals);
  const share = (parseAmount(invoiced ?? '0.04') * BigInt(percent)) / 100n / BigInt(outputs);
  const whole = share - (share % unit);
  return Array.from({ length: outputs }, () => formatAmount(whole > 0n ? whole : unit));
}

async function someTransaction({ arena }: Play, number: number, where: readonly ('mempool' | 'young block')[]) {
  const { rows } = await sql<{ txid: string; chain: ChainId; isOurs: boolean }>`
    select t.txid, t.chain, exists (select 1 from outgoing o where o.txid = t.txid) as "isOurs"
    from sandbox_transaction t join sandbox_chain c using (chain) left join sandbox_block b on b.chain = t.chain and b.hash = t.block_hash
    where t.state = 'mempool' or (${where.includes('young block')} and t.state = 'block' and c.height - b.height < 2 and t.chain <> 'xrp'
      and not exists (select 1 from outgoing o where o.txid = t.txid))
    order by t.number`.execute(arena.context.db);
  return chosen(rows, number);
}

async function payoutPayload(play: Play, order: PayoutOrder): Promise<Record<string, unknown>> {
  const { arena } = play;
  const { symbol } = kindOf(order.kind)!;
  const amount = await shareOf(play, order.kind, order.percent, order.recipients);
  return {
    kind: order.kind,
    profile_id: arena.account.profile_id,
    reference_id: `order-${order.number}`,
    recipients: Array.from({ length: order.recipients }, (_, at) => ({
      amount,
      currency: symbol === 'USDT' ? 'USD' : symbol,
      ...recipientOf(order.kind, `${order.number}.${at}`),
    })),
    ...(order.recipientPays ? { network_fee_pays: 'recipient' } : {}),
    ...(order.scheduled ? { scheduled_at: new Date(arena.weather.now + order.scheduled * 1000).toISOString() } : {}),
  };
}

/** An address, or on the XRP Ledger a tag, that nobody else has. */
function recipientOf(kind: PayoutOrder['kind'], name: string): { address: string; destination_tag?: string } {
  const bytes = createHash('sha256').update(name).digest().subarray(0, 20);
  if (kind === 'BTC') return { address: bech32.encode('tb', [0, ...bech32.toWords(bytes)]) };
  if (kind === 'TON') return { address: `0:${createHash('sha256').update(name).digest('hex')}` };
  if (kind !== 'XRP') return { address: `0x${hex.encode(bytes)}` };
  return { address: 'rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH', destination_tag: String(bytes.readUInt32BE()) };
}

async function payOut(play: Play, order: PayoutOrder): Promise<TestAnswer> {
  const payload = await payoutPayload(play, order);
  const answer = await ask(play, 'POST', '/v1/payouts/', payload, order.capped ? play.arena.capped : play.arena.account.api);
  if (answer.status !== 201) return answer;
  play.payouts.push({ id: answer.body.result.id, payload });
  play.lastPaid = chainOf(order.kind)!;
  const isLarge = usdOf(play.arena, order.kind, payload) > CAP;
  if ((answer.body.result.status === 'draft') !== (order.capped && isLarge))
    throw new Broken('what is more than a key may pay out waits as a draft', { order, answer });
  return answer;
}

/** What the key `capped` may pay out at once, in dollars. */
const CAP = parseAmount('500');

function usdOf({ weather }: Arena, kind: Coin, { recipients }: Record<string, unknown>): bigint {
  const sum = (recipients as { amount: string }[]).reduce((total, { amount }) => total + parseAmount(amount), 0n);
  return kind === 'ETH_USDT' ? sum : (sum * COINS[kind]! * BigInt(weather.price ?? 0)) / 100n;
}

async function payOutAgain(play: Play, { payout, same }: Of<'pay out again'>): Promise<void> {
  const found = chosen(play.payouts, payout);
  if (!found) return;
  const payload = same ? found.payload : { ...found.payload, network_fee_preset: 'high' };
  const { status, body } = await ask(play, 'POST', '/v1/payouts/', payload);
  if (same ? status !== 200 || body.result.id !== found.id : status !== 409) {
    throw new Broken('the same again is the same payout, another one is refused', { payload, status, body });
  }
}

/** Runs something in a process that dies after so many steps. @returns null when it died before it answered */
async function dying(play: Play, steps: number, work: (app: Hono<Env>) => Promise<TestAnswer>): Promise<TestAnswer | null> {
  const { doomed, context } = play.arena;
  doomed.live(steps);
  const answer = await work(doomed.app).catch(() => null);
  const died = doomed.isDead();
  if (died) await doomed.rest();
  doomed.live(Number.POSITIVE_INFINITY);
  await endLeases(context.db);
  return died && answer !== null && answer.status >= 500 ? null : answer;
}

/** Somebody stops what waits, twice, at the moment in which the worker may begin it. */
async function rejectAtWork({ arena }: Play, { payout }: Of<'reject at work'>): Promise<void> {
  const { context, app, parallelApprove } = arena;
  const { rows } = await sql<{ id: string }>`
    select id from payout where status = any(${[...WAITING]}::text[]) or (status = 'new' and scheduled_at > ${timestamp(context.clock.now())})
    order by number desc limit 3`.execute(context.db);
  const found = chosen(rows, payout);
  if (!found) return;
  const reject = (): Promise<TestAnswer> => call(app, parallelApprove, 'PUT', `/v1/payouts/${found.id}/`, { approve: false });
  const [answers] = await Promise.all([Promise.all([reject(), reject()]), processPayouts(context)]);
  const rejected = answers.filter(({ status }) => status === 200);
  const { status } = await context.db.selectFrom('payout').select('status').where('id', '=', found.id).executeTakeFirstOrThrow();
  if (rejected.length > 1 || (rejected.length === 1) !== (status === 'rejected'))
    throw new Broken('what waits is stopped once, or begun', { answers, status });
  if (answers.some((answer) => answer.status !== 200 && answer.status !== 409)) throw new Broken('a request is never a 5xx', answers);
}

/** The worker dies between two steps; what it began is looked at again, by the next one. */
async function dieAtWork(play: Play, { steps }: Of<'die at work'>): Promise<void> {
  const { doomed, context } = play.arena;
  doomed.live(steps);
  const works = [
    ...[...play.unread].map((chain) => () => scanChain(doomed.context, chain)),
    () => expireInvoices(doomed.context),
    () => processPayouts(doomed.context),
    () => consolidateDeposits(doomed.context),
    () => automate(doomed.context),
    () => processConversions(doomed.context),
    () => runAutomaticPayouts(doomed.context),
  ];
  for (const work of works) {
    if (!doomed.isDead()) await work().catch(() => {});
  }
  if (doomed.isDead()) await doomed.rest();
  doomed.live(Number.POSITIVE_INFINITY);
  await endLeases(context.db);
}

/** Payouts, a look at the chains and expiry, all at once. */
async function storm(play: Play, { orders }: Of<'storm'>): Promise<void> {
  const { arena } = play;
  const { context } = arena;
  const payloads = await Promise.all(orders.map((order) => payoutPayload(play, order)));
  const work = [...play.unread].map((chain) => scanChain(context, chain).catch(() => {}));
  const answers = await Promise.all(payloads.map((payload) => call(arena.app, arena.parallel, 'POST', '/v1/payouts/', payload)));
  await Promise.all([...work, expireInvoices(context), processPayouts(context)]);
  for (const [at, { status, body }] of answers.entries()) {
    if (status === 201) play.payouts.push({ id: body.result.id, payload: payloads[at]! });
    if (status >= 500 && arena.weather.down.size === 0 && arena.weather.price !== null) throw new Broken('a request is never a 5xx', body);
  }
}

/** Where automatic payouts go, again and again. */
export const AUTOMATIC = {
  BTC: 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
  ETH: '0x52908400098527886E0F7030069857D2E4169EE7',
  ETH_USDT: '0x52908400098527886E0F7030069857D2E4169EE7',
  XRP: 'rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH:1',
  // As payouts show it, so that rules know it again.
  TON: '0QCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqPvC',
} as const;

async function walletOf({ arena }: Play, kind: Coin): Promise<string> {
  const { wallet_id } = await arena.context.db
    .selectFrom('profile_currency')
    .select('wallet_id')
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow();
  return wallet_id;
}

async function convert(play: Play, { from, to, percent, approve }: Of<'convert'>): Promise<void> {
  const amount = await shareOf(play, from, percent, 1);
  const pair = { from_wallet: await walletOf(play, from), from_kind: from, to_wallet: await walletOf(play, to), to_kind: to };
  const { status, body } = await ask(play, 'POST', '/v1/conversions/', { ...pair, amount, is_approved: approve });
  if (status === 201) play.conversions.push(body.result.id as string);
}

/** A share of what is available, in as many parts. */
async function shareOf({ arena }: Play, kind: Coin, percent: number, parts: number): Promise<string> {
  const { rows } = await sql<{ amount: string }>`
    select amount::text as amount from balance where bucket = 'available' and currency = ${kind}`.execute(arena.context.db);
  const unit = 10n ** BigInt(18 - Math.min(8, kindOf(kind)!.decimals));
  const share = (parseAmount(rows[0]?.amount ?? '0') * BigInt(percent)) / 100n / BigInt(parts);
  return formatAmount(share - (share % unit));
}

/** Requests that can't be granted. */
async function nonsense(play: Play, { what, invoice }: Of<'nonsense'>): Promise<void> {
  const { account } = play.arena;
  const id = chosen(play.invoices, invoice)?.id ?? account.profile_id;
  const calls: (readonly [string, string, Record<string, unknown>])[] = [
    ['POST', '/v1/invoices/', { profile_id: account.profile_id, kind: 'BTC', currency: 'USD', amount: '-1' }],
    ['POST', '/v1/invoices/', { profile_id: account.account_id, kind: 'BTC', currency: 'USD', amount: '1' }],
    ['POST', '/v1/invoices/', { profile_id: account.profile_id, kind: 'LTC', currency: 'USD', amount: '1' }],
    ['POST', '/v1/payouts/', { profile_id: account.profile_id, kind: 'BTC', recipients: [] }],
    ['POST', '/v1/payouts/', { profile_id: account.profile_id, kind: 'ETH', recipients: [{ amount: '1', currency: 'ETH', address: id }] }],
    ['PUT', `/v1/payouts/${id}/`, { approve: true }],
    ['GET', `/v1/transactions/${id}/`, {}],
    ['GET', '/v1/invoices/', { p: '0' }],
    ['POST', `/v1/payouts/${id}/resend-callback/`, {}],
  ];
  const [method, path, members] = chosen(calls, what)!;
  const { status } = await ask(play, method, path, members);
  if (status < 400) throw new Broken('nonsense is refused', { method, path, members, status });
}
