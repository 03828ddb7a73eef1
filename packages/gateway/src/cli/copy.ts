import type { Command } from 'commander';
import { isPostgresUrl } from '@crypto-checkout/protocol/schema/setting';
import { copyDatabase } from './commands/copy-database.ts';
import { type Io, UsageError, withContext } from './io.ts';
import { showRows } from './table.ts';

export function addCopy(program: Command, io: Io): void {
  program
    .command('copy')
    .description(
      'copies all data to another, empty database. Stop the service first: later changes are not copied',
    )
    .requiredOption('--to <url>', 'postgres://user:password@host:port/database')
    .option('--while-running', 'copies even while a service uses this database')
    .action(
      ({ to, whileRunning = false }: { to: string; whileRunning?: boolean }, command: Command) =>
        withContext(io, async (context) => {
          if (!isPostgresUrl(to))
            throw new UsageError(
              '--to takes a URL such as postgres://user:password@host:port/database or postgres://user@/database?host=/socket/folder.',
            );
          try {
            const onProgress = (table: string, rows: number, of: number): void =>
              io.progress(`${table}: ${rows} of ${of} rows`);
            const tables = await copyDatabase(context, { to, whileRunning, onProgress });
            io.progress(null);
            showRows(io, command.optsWithGlobals(), tables, 'There was nothing to copy.');
            io.note(
              'All tables match and the ledger is consistent. Now move keys.json and secrets.key, and set DATABASE_URL.',
            );
          } finally {
            io.progress(null);
          }
        }),
    );
}
