import type { Command } from 'commander';
import { getCallback, listCallbacks, type CallbackFilter, type ListedCallback } from '../callback/list.ts';
import { resendCallbackById } from '../callback/resend.ts';
import { countWaiting } from '../callback/waiting.ts';
import type { Context } from '../context.ts';
import { milliseconds } from '../database/database.ts';
import { isUuid } from '../http/id.ts';
import { PER_PAGE } from '../http/pagination.ts';
import { accountIdOf } from './account-of.ts';
import { type Io, type Shape, UsageError, withContext } from './io.ts';
import { readPage } from './page.ts';
import { showOne, showRows } from './table.ts';

const STATES = ['pending', 'delivered', 'failed'] as const;

/** Of very many not all are counted, which would take seconds. */
const COUNTED = 1_000;

interface ListOptions {
  account?: string;
  state: string;
  resource?: string;
  page: string;
}

export function addCallbacks(program: Command, io: Io): void {
  const callbacks = program.command('callbacks').description('what was told to the shops, and what they answered');

  callbacks
    .command('list')
    .description('callbacks, newest first, 25 a page')
    .option('--state <state>', `${STATES.join(', ')} or all`, 'failed')
    .option('--account <id>', 'default: every account')
    .option('--resource <id>', 'of one invoice, transaction or payout')
    .option('--page <number>', 'from 1', '1')
    .action((options: ListOptions, command: Command) =>
      withContext(io, async (context) => {
        const accountId = await accountIdOf(context, options.account);
        const page = readPage(options.page);
        if (options.resource !== undefined && !isUuid(options.resource))
          throw new UsageError(`--resource takes the id of an invoice, transaction or payout, not "${options.resource}".`);
        const state = stateOf(options.state);
        const { rows, count } = await listCallbacks(context.db, accountId, { state, resourceId: options.resource, page, countTo: COUNTED });
        // Whoever asks what failed means also what fails now, which is given up only after three days.
        const retried = state === 'failed' ? await retriedOf(context, accountId, options.resource) : null;
        if (rows.length === 0 && count > 0) {
          if (count > COUNTED) throw new UsageError(`There are not so many callbacks that there is a page ${page}.`);
          const last = Math.ceil(count / PER_PAGE);
          throw new UsageError(`There ${last === 1 ? 'is one page' : `are ${last} pages`}, and no page ${page}.`);
        }
        const none = retried !== null ? `None was given up; ${retried}.` : `There is no ${state ?? ''} callback.`.replace('  ', ' ');
        const row = state === 'pending' || state === undefined ? shownWaiting : shown;
        showRows(io, command.optsWithGlobals(), rows.map(row), none);
        if (rows.length > 0)
          io.note(`${rows.length} of ${count > COUNTED ? `more than ${COUNTED}` : count}${retried === null ? '' : `; ${retried}`}`);
      }),
    );

  callbacks
    .command('show')
    .description('one callback with its body and every delivery')
    .argument('<id>', "the callback's id")
    .action((id: string, _: unknown, command: Command) =>
      withContext(io, async ({ db }) => {
        const callback = await getCallback(db, null, id);
        if (!callback) throw new UsageError(`There is no callback ${id}; callbacks list shows them.`);
        if (command.optsWithGlobals()['json']) return io.out(JSON.stringify(callback, null, 2));
        showOne(io, {}, { ...shown(callback), body: callback.body });
        for (const { attempt, resend, at_real, duration_ms, status_code, error, answer } of callback.deliveries)
          io.out(
            `${at_real}  ${resend ? 'by hand' : `attempt ${attempt}`}  ${status_code ?? error ?? 'no answer'}  ${duration_ms} ms  ${answer ?? ''}`,
          );
      }),
    );

  callbacks
    .command('resend')
    .description('sends one callback again, or all that failed, with the same id and bytes')
    .argument('[id]', "the callback's id")
    .option('--failed', 'all that failed')
    .option('--account <id>', 'with --failed: only of this account')
    .action((id: string | undefined, options: { failed?: boolean; account?: string }, command: Command) =>
      withContext(io, async (context) => {
        if ((id === undefined) !== (options.failed === true))
          throw new UsageError("Name one callback's id, or --failed for all that failed.");
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
        // Of one there is room for every word.
        if (id !== undefined && results[0] && !shape.json) showOne(io, {}, results[0]);
        else showRows(io, shape, results, 'No callback has failed.');
        if (results.some(({ status }) => status === 'error')) throw new UsageError('Not every receiver took its callback.');
      }),
    );
}

/** All of them are found before the first is sent: sending takes them off the list. */
async function failedIds({ db }: Context, accountId: string | null): Promise<string[]> {
  const ids = new Set<string>();
  for (let page = 1; ; page++) {
    const { rows } = await listCallbacks(db, accountId, { state: 'failed', page });
    for (const { id } of rows) ids.add(id);
    // Oldest first, as they happened.
    if (rows.length === 0) return [...ids].toReversed();
  }
}

/** What is being tried again, in words; null when nothing is. */
async function retriedOf({ db, clock }: Context, accountId: string | null, resourceId: string | undefined): Promise<string | null> {
  const { count, retried, since, more } = await countWaiting(db, accountId, resourceId);
  if (since === null) return null;
  const all = more ? `more than ${count}` : `${count}`;
  const some = retried === count ? all : `${retried} of ${all} that wait`;
  const age = spanOf(clock.real() - milliseconds(since));
  if (more) return `${some} are being tried again, some for ${age} (callbacks list --state pending)`;
  return `${some} ${retried === 1 ? 'is' : 'are'} being tried again, the oldest for ${age} (callbacks list --state pending)`;
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

const shown = (one: ListedCallback) => ({
  id: one.id,
  event: one.event,
  state: one.state,
  attempts: one.attempts,
  answer: one.last_status_code ?? one.last_error,
  created_at: one.created_at_real,
  url: one.url,
});

const shownWaiting = (one: ListedCallback) => {
  const { url, ...rest } = shown(one);
  return { ...rest, next_try: one.state === 'pending' ? one.next_at_real : null, url };
};
