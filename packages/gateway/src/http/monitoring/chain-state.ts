import type { ChainHealth } from '@crypto-checkout/chains/adapter';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import type { Db } from '../../database/database.ts';
import { openTooDeep } from '../../engine/too-deep.ts';

/** How far the blocks of a chain were read. */
export interface ScanState {
  /** Height up to which payments were looked for; null before the first scan. */
  scanned_height: number | null;
  /** Seconds since the last successful scan, counted from the start of this process at most. */
  scanned_age_seconds: number;
  /** Why the last scan failed. It is out of date once a scan succeeded. */
  failure: string | null;
}

export interface ChainState extends Omit<ScanState, 'failure'> {
  /** The node answers, has the chain that was read, and the scan does not stand still. */
  ok: boolean;
  /** Height of the node's newest block; null without an answer. */
  tip: number | null;
  detail: string | null;
}

/** @param startedAt real time of the start of this process: before it nobody had to scan */
export async function readScanStates(
  { db, chains, clock }: Pick<Context, 'db' | 'chains' | 'clock'>,
  startedAt: number,
): Promise<Map<ChainId, ScanState>> {
  const uptime = Math.max(0, (clock.real() - startedAt) / 1_000);
  const rows = new Map((await scanRows(db, [...chains.keys()])).map((row) => [row.chain, row]));
  return new Map(
    [...chains.keys()].map((chain): [ChainId, ScanState] => {
      const row = rows.get(chain);
      const age = Math.min(uptime, Math.max(0, row?.age ?? uptime));
      const state = {
        scanned_height: row?.height ?? null,
        scanned_age_seconds: Math.floor(age),
        failure: row?.reason ?? null,
      };
      return [chain, state];
    }),
  );
}

interface ScanRow {
  chain: ChainId;
  height: number | null;
  /** By the database's clock, which wrote the time. */
  age: number | null;
  reason: string | null;
}

async function scanRows(db: Db, chains: readonly ChainId[]): Promise<ScanRow[]> {
  const { rows } = await sql<ScanRow>`
    select chain, (c.cursor->>'height')::bigint as height, f.reason,
      extract(epoch from clock_timestamp() - c.scanned_at_real)::float8 as age
    from unnest(${[...chains]}::text[]) as chain
      left join chain_cursor c using (chain) left join scan_failure f using (chain)`.execute(db);
  return rows;
}

/**
 * A node that is behind what was read has nothing new for long. A lightning node has no heights of
 * its own.
 */
function lagOf(
  chain: ChainId,
  { tip }: ChainHealth,
  { scanned_height: height }: Omit<ScanState, 'failure'>,
): string | null {
  if (chain === 'lightning' || tip === null || height === null || tip >= height) return null;
  return `The node is behind what was read: its newest block is ${tip}, and block ${height} was read`;
}

/** The state of each chain for probes and metrics. */
export async function readChainStates(
  context: Pick<Context, 'db' | 'chains' | 'clock' | 'config'>,
  startedAt: number,
): Promise<Map<ChainId, ChainState>> {
  const limit = context.config.scanAlarmMinutes * 60;
  const [scans, otherChains] = await Promise.all([
    readScanStates(context, startedAt),
    openTooDeep(context.db),
  ]);
  const states = [...context.chains].map(
    async ([chain, adapter]): Promise<[ChainId, ChainState]> => {
      const health = await adapter.health();
      const { failure, ...scan } = scans.get(chain)!;
      const isStanding = scan.scanned_age_seconds > limit;
      const otherChain = otherChains.get(chain) ?? null;
      const problem = isStanding
        ? (failure ?? 'The scan stands still')
        : lagOf(chain, health, scan);
      return [
        chain,
        {
          ok: health.ok && !isStanding && otherChain === null,
          tip: health.tip,
          ...scan,
          detail: health.detail ?? otherChain ?? problem,
        },
      ];
    },
  );
  return new Map(await Promise.all(states));
}
