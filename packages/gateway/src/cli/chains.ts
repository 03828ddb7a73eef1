import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { Command } from 'commander';
import { findProgress } from '../chain/progress.ts';
import { rescanChain } from '../chain/rescan.ts';
import { type Io, UsageError, withContext } from './io.ts';
import { showOne, showRows } from './table.ts';

export function addChains(program: Command, io: Io): void {
  const chains = program.command('chains').description('chains, and how far they were read');

  chains
    .command('list')
    .description('every chain with its tip')
    .action((_: unknown, command: Command) =>
      withContext(io, async (context) => {
        const rows = await Promise.all(
          [...context.chains.values()].map(async ({ chain, network, source, health }) => {
            const [{ cursor }, { ok, tip, detail }] = await Promise.all([findProgress(context.db, chain), health()]);
            return { chain, network, source, read_to: cursor?.height, tip, ok, detail };
          }),
        );
        showRows(io, command.optsWithGlobals(), rows, 'There is no chain.');
      }),
    );

  chains
    .command('rescan')
    .description('reads a chain again from a height on, also while the service works; what is known stays as it is')
    .argument('<chain>', 'as chains list shows it')
    .requiredOption('--from <height>', 'the first block to read again')
    .action((chain: string, { from }: { from: string }, command: Command) =>
      withContext(io, async (context) => {
        if (!/^\d{1,12}$/.test(from)) throw new UsageError(`--from takes a height, not "${from}".`);
        const onProgress = (height: number, tip: number): void => io.progress(`block ${height} of ${tip}`);
        try {
          const reached = await rescanChain(context, { chain: chain as ChainId, from: Number(from), onProgress });
          io.progress(null);
          showOne(io, command.optsWithGlobals(), { chain, from: Number(from), ...reached });
        } finally {
          io.progress(null);
        }
      }),
    );
}
