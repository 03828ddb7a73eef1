import type { Command } from 'commander';
import { verifyBooks } from '../wallet/verify.ts';
import { type Io, UsageError, withContext } from './io.ts';
import { showRows } from './table.ts';

export function addBooks(program: Command, io: Io): void {
  program
    .command('books')
    .description('the ledger')
    .command('verify')
    .description('looks whether the books add up; also while the service works. Ends with 1 when they do not')
    .action((_: unknown, command: Command) =>
      withContext(io, async ({ db }) => {
        const findings = await verifyBooks(db);
        showRows(
          io,
          command.optsWithGlobals(),
          findings.map(({ rule, says, row }) => ({ rule, must_hold: says, where: JSON.stringify(row) })),
          'The books add up.',
        );
        if (findings.length > 0) throw new UsageError('The books do not add up.');
      }),
    );
}
