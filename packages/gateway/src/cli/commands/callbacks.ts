import type { Command } from 'commander';
import {
  getCallback,
  listCallbacks,
  type CallbackFilter,
  type OwnedCallback,
} from '../../callback/list.ts';
import { resendCallbackById } from '../../callback/resend.ts';
import { countWaiting } from '../../callback/waiting.ts';
import type { Context } from '../../context.ts';
import { milliseconds } from '../../database/database.ts';
import { isUuid } from '../../http/id.ts';
import { PER_PAGE } from '../../http/pagination.ts';
import { accountIdOf } from '../account-of.ts';
import { type Io, type Shape, UsageError, withContext } from '../io.ts';
import { readPage } from '../page.ts';
import { showOne, showRows } from '../table.ts';

const STATES = ['pending', 'delivered', 'failed'] as const;

/** The count is limited, because counting very many takes seconds. */
const COUNTED = 1_000;

interface ListOptions {
  account?: string;
  state: string;
  resource?: string;
  page: string;
}

export function addCallbacks(program: Command, io: Io): void {
  const callbacks = program
    .command('callbacks')
    .description('callbacks sent to shops, and the answers');
  for (const add of [addList, addShow, addResend]) add(callbacks, io);
}

function addList(callbacks: Command, io: Io): void {
  callbacks
    .command('list')
    .description('lists callbacks, newest first, 25 a page')
    .option('--state <state>', `${STATES.join(', ')} or all`, 'failed')
    .option('--account <id>', 'default: every account')
    .option('--resource <id>', 'only those of this invoice, transaction or payout')
    .option('--page <number>', 'from 1', '1')
    .action((options: ListOptions, command: Command) =>
      withContext(io, async (context) => {
        const accountId = await accountIdOf(context, options.account);
        const page = readPage(options.page);
        if (options.resource !== undefined && !isUuid(options.resource))
          throw new UsageError(
            `--resource takes the id of an invoice, transaction or payout, not "${options.resource}".`,
          );
        const state = stateOf(options.state);
        const { rows, count } = await listCallbacks(context.db, accountId, {
          state,
          resourceId: options.resource,
          page,
          countTo: COUNTED,
        });
        // `failed` also lists callbacks that are failing now; they are given up only after three
        // days.
        const retried =
          state === 'failed' ? await retriedOf(context, accountId, options.resource) : null;
        if (rows.length === 0 && count > 0) {
          if (count > COUNTED) throw new UsageError(`--page: page ${page} does not exist.`);
          const last = Math.ceil(count / PER_PAGE);
          throw new UsageError(`--page: page ${page} does not exist; the last page is ${last}.`);
        }
        const none =
          retried !== null
            ? `No callback has failed for good; ${retried}.`
            : `There are no ${state ?? ''} callbacks.`.replace('  ', ' ');
        const row = state === 'pending' || state === undefined ? shownWaiting : shown;
        showRows(io, command.optsWithGlobals(), rows.map(row), none);
        if (rows.length > 0)
          io.note(
            `${rows.length} of ${count > COUNTED ? `more than ${COUNTED}` : count}${retried === null ? '' : `; ${retried}`}`,
          );
      }),
    );
}

function addShow(callbacks: Command, io: Io): void {
  callbacks
    .command('show')
    .description('shows a callback with its body and every delivery')
    .argument('<id>', "the callback's id")
    .action((id: string, _: unknown, command: Command) =>
      withContext(io, async ({ db }) => {
        const callback = await getCallback(db, null, id);
        if (!callback)
          throw new UsageError(`No callback has the id ${id}. List them with: callbacks list`);
        if (command.optsWithGlobals()['json']) return io.out(JSON.stringify(callback, null, 2));
        showOne(io, {}, { ...shown(callback), body: callback.body });
        for (const {
          attempt,
          resend,
          at_real,
          duration_ms,
          status_code,
          error,
          answer,
        } of callback.deliveries)
          io.out(
            `${at_real}  ${resend ? 'manual' : `attempt ${attempt}`}  ${status_code ?? error ?? 'no answer'}  ${duration_ms} ms  ${answer ?? ''}`,
          );
      }),
    );
}

function addResend(callbacks: Command, io: Io): void {
  callbacks
    .command('resend')
    .description('resends one callback, or all failed ones, with the same id and body')
    .argument('[id]', "the callback's id")
    .option('--failed', 'all failed callbacks')
    .option('--account <id>', 'with --failed: only those of this account')
    .action(
      (id: string | undefined, options: { failed?: boolean; account?: string }, command: Command) =>
        withContext(io, async (context) => {
          if ((id === undefined) !== (options.failed === true))
            throw new UsageError("Give either a callback's id or --failed.");
          const accountId = await accountIdOf(context, options.account);
          const ids = id === undefined ? await failedIds(context, accountId) : [id];
          const results = [];
          for (const [number, one] of ids.entries()) {
            io.progress(`${number + 1} of ${ids.length}`);
            const { status, message, error = null } = await resendCallbackById(context, null, one);
            results.push({ id: one, status, error, message });
          }
          io.progress(null);
          const shape: Shape = command.optsWithGlobals();
          // The detail view has room for the full text.
          if (id !== undefined && results[0] && !shape.json) showOne(io, {}, results[0]);
          else showRows(io, shape, results, 'No callback has failed.');
          if (results.some(({ status }) => status === 'error'))
            throw new UsageError('At least one receiver did not accept its callback.');
        }),
    );
}

/** All of them are read before the first is sent: sending changes the list. */
async function failedIds({ db }: Context, accountId: string | null): Promise<string[]> {
  const ids = new Set<string>();
  for (let page = 1; ; page++) {
    const { rows } = await listCallbacks(db, accountId, { state: 'failed', page });
    for (const { id } of rows) ids.add(id);
    // Oldest first, in the order of their events.
    if (rows.length === 0) return [...ids].toReversed();
  }
}

/** Describes the retries that are under way; null when there are none. */
async function retriedOf(
  { db, clock }: Context,
  accountId: string | null,
  resourceId: string | undefined,
): Promise<string | null> {
  const { count, retried, since, more } = await countWaiting(db, accountId, resourceId);
  if (since === null) return null;
  const all = more ? `more than ${count}` : `${count}`;
  const some = retried === count ? all : `${retried} of ${all} pending`;
  const age = spanOf(clock.real() - milliseconds(since));
  if (more) return `${some} are being retried, some for ${age} (callbacks list --state pending)`;
  return `${some} ${retried === 1 ? 'is' : 'are'} being retried, the oldest for ${age} (callbacks list --state pending)`;
}

function spanOf(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 1) return 'less than a minute';
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}

function stateOf(text: string): CallbackFilter['state'] {
  if (text === 'all') return undefined;
  const state = STATES.find((one) => one === text);
  if (!state) throw new UsageError(`--state takes ${STATES.join(', ')} or all, not "${text}".`);
  return state;
}

const shown = (one: OwnedCallback) => ({
  id: one.id,
  event: one.event,
  state: one.state,
  attempts: one.attempts,
  answer: one.last_status_code ?? one.last_error,
  created_at: one.created_at_real,
  url: one.url,
});

const shownWaiting = (one: OwnedCallback) => {
  const { url, ...rest } = shown(one);
  return { ...rest, next_try: one.state === 'pending' ? one.next_at_real : null, url };
};
