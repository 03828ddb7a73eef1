import type { Command } from 'commander';
import { isPostgres } from '../config.ts';
import { copyDatabase } from '../database/copy.ts';
import { type Io, UsageError, withContext } from './io.ts';
import { showRows } from './table.ts';

export function addCopy(program: Command, io: Io): void {
  program
    .command('copy')
    .description('copies everything to another database, which must be empty. Stop the service first: what comes later is not copied')
    .requiredOption('--to <url>', 'postgres://user:password@host:port/database')
    .option('--while-running', 'copies although a service works on this database')
    .action(({ to, whileRunning = false }: { to: string; whileRunning?: boolean }, command: Command) =>
      withContext(io, async (context) => {
        if (!isPostgres(to))
          throw new UsageError(
            '--to takes a URL as postgres://user:password@host:port/database, or postgres://user@/database?host=/folder/of/its/socket.',
          );
        try {
          const onProgress = (table: string, rows: number, of: number): void => io.progress(`${table}: ${rows} of ${of} rows`);
          const tables = await copyDatabase(context, { to, whileRunning, onProgress });
          io.progress(null);
          showRows(io, command.optsWithGlobals(), tables, 'There was nothing to copy.');
          io.note('Every table is the same there, and its books add up. Take keys.json and secrets.key along, and set DATABASE_URL.');
        } finally {
          io.progress(null);
        }
      }),
    );
}
