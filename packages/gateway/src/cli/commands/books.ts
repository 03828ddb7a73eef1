import type { Command } from 'commander';
import { verifyBooks } from '../../ledger/verify.ts';
import { type Io, UsageError, withContext } from '../io.ts';
import { showRows } from '../table.ts';

export function addBooks(program: Command, io: Io): void {
  program
    .command('books')
    .description('the ledger')
    .command('verify')
    .description(
      'verifies the ledger; also while the service runs. Exits with 1 if a rule is broken',
    )
    .action((_: unknown, command: Command) =>
      withContext(io, async ({ db }) => {
        const findings = await verifyBooks(db);
        showRows(
          io,
          command.optsWithGlobals(),
          findings.map(({ rule, says, row }) => ({
            rule,
            must_hold: says,
            where: JSON.stringify(row),
          })),
          'The ledger is consistent.',
        );
        if (findings.length > 0) throw new UsageError('The ledger is inconsistent.');
      }),
    );
}
