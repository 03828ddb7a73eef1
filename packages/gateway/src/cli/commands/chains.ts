import type { ChainId } from '@crypto-checkout/protocol/kind';
import { isCursorOf } from '@crypto-checkout/chains/cursor';
import type { Command } from 'commander';
import { formatAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { Context } from '../../context.ts';
import { readLiquidity } from '../../http/monitoring/liquidity.ts';
import { findProgress } from '../../engine/scan-progress.ts';
import { countUntraced } from '../../engine/untraced/store.ts';
import { openTooDeep } from '../../engine/too-deep.ts';
import { rescanChain } from '../../engine/rescan.ts';
import { SOURCE as SANDBOX_SOURCE } from '../../sandbox/scan.ts';
import { type Io, UsageError, withContext } from '../io.ts';
import { type Row, showOne, showRows } from '../table.ts';

/** This command lacks the gateway's settings, and would show a simulated chain in its place. */
const ELSEWHERE = 'the settings of its node are not set here';

export function addChains(program: Command, io: Io): void {
  const chains = program.command('chains').description('chains and their scan progress');

  chains
    .command('list')
    .description(
      'lists all chains with tip and scan progress. For lightning, tip and read_to count settled requests, and receivable and sendable are in BTC. Untraced blocks were read without payments that contracts made in them',
    )
    .action((_: unknown, command: Command) =>
      withContext(io, async (context) => {
        const rows = await chainRows(context);
        showRows(io, command.optsWithGlobals(), rows, 'There are no chains.');
      }),
    );

  chains
    .command('rescan')
    .description(
      'rescans a chain from a block height; also while the service runs. Known payments stay unchanged',
    )
    .argument('<chain>', 'name from chains list')
    .requiredOption('--from <height>', 'first block to scan')
    .action((chain: string, { from }: { from: string }, command: Command) =>
      withContext(io, async (context) => {
        if (!/^\d{1,12}$/.test(from))
          throw new UsageError(`--from takes a block height, not "${from}".`);
        const onProgress = (height: number, tip: number): void =>
          io.progress(`block ${height} of ${tip}`);
        try {
          const reached = await rescanChain(context, {
            chain: chain as ChainId,
            from: Number(from),
            onProgress,
          });
          io.progress(null);
          showOne(io, command.optsWithGlobals(), { chain, from: Number(from), ...reached });
        } finally {
          io.progress(null);
        }
      }),
    );
}

const shown = (amount: Amount | undefined): string | undefined =>
  amount === undefined ? undefined : formatAmount(amount);

async function chainRows(context: Context): Promise<Row[]> {
  const [liquidity, otherChains, untraced] = await Promise.all([
    readLiquidity(context),
    openTooDeep(context.db),
    countUntraced(context.db),
  ]);
  return Promise.all(
    [...context.chains.values()].map(async ({ chain, network, source, health }) => {
      const [{ cursor }, { ok, tip, detail }] = await Promise.all([
        findProgress(context.db, chain),
        health(),
      ]);
      const otherChain = otherChains.get(chain);
      const isSimulated = cursor === null || isCursorOf(cursor, SANDBOX_SOURCE);
      const sender = source === 'node' ? context.senders.get(chain) : undefined;
      return {
        chain,
        network,
        read_to: cursor?.height,
        untraced_blocks: untraced.get(chain),
        ...(source === 'sandbox' && !isSimulated
          ? { source: 'node', tip: null, ok: null, detail: ELSEWHERE }
          : {
              source,
              tip,
              ok: ok && otherChain === undefined,
              detail: detail ?? otherChain ?? null,
            }),
        payout_address: sender?.sweeping?.payoutAddress,
        funding_address: sender?.fundingAddress,
        receivable: shown(liquidity.get(chain)?.receivable),
        sendable: shown(liquidity.get(chain)?.sendable),
      };
    }),
  );
}
