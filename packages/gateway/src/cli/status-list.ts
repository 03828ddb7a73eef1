import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { accountIdOf } from './account-of.ts';
import { type Io, withContext } from './io.ts';
import { requireOneOf } from './options.ts';
import { limitAndOffset, pageFrom, readPage } from './page.ts';
import { showRows, type Row } from './table.ts';

interface StatusList<Status extends string, Found> {
  /** Name of the rows: `payouts`. */
  noun: string;
  statuses: readonly Status[];
  /** The rows that wait: `all that can still be rejected`. */
  waiting: string;
  /** Added where none waits. Default: none. */
  hint?: string;
  /** @param filter.status null for every status */
  read(
    context: Context,
    filter: { accountId: string | null; status: Status | 'waiting' | null },
    rows: { limit: number; offset: number },
  ): Promise<readonly Found[]>;
  show(found: Found): Row;
}

interface Options {
  status: string;
  account?: string;
  page: string;
}

/** Adds the command `list` with filters by status and account. */
export function addStatusList<Status extends string, Found>(
  group: Command,
  io: Io,
  { noun, statuses, waiting, hint = '', read, show }: StatusList<Status, Found>,
): void {
  group
    .command('list')
    .description(`lists ${noun}, newest first, 25 a page`)
    .option('--status <status>', `${statuses.join(', ')}, all, or waiting (${waiting})`, 'waiting')
    .option('--account <id>', 'default: every account')
    .option('--page <number>', 'from 1', '1')
    .action((options: Options, command: Command) =>
      withContext(io, async (context) => {
        const accountId = await accountIdOf(context, options.account);
        const page = readPage(options.page);
        const chosen = requireOneOf(
          '--status',
          [...statuses, 'all', 'waiting'] as const,
          options.status,
        );
        const status = chosen === 'all' ? null : chosen;
        const rows = await read(context, { accountId, status }, limitAndOffset(page));
        const none =
          status === null
            ? `There are no ${noun}.`
            : `There are no ${status} ${noun}. ${status === 'waiting' ? hint : ''}List all with: --status all`;
        showRows(io, command.optsWithGlobals(), pageFrom(io, rows, page).map(show), none);
      }),
    );
}
