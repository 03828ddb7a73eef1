import { CHAINS, KINDS, type ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { raiseAlarmAbout } from '../alarm/raise.ts';
import type { Context } from '../context.ts';
import type { Db, Trx } from '../database/database.ts';
import { convert } from '../rate/convert.ts';
import type { RateSet } from '../rate/rate-book.ts';
import type { Assessment } from '../transaction/assessment.ts';
import type {
  BlockComparison,
  ChainAdapter,
  Observation,
  ScanResult,
} from '@crypto-checkout/chains/adapter';

/**
 * Marks the payments of a scan above `RPC_COMPARE_ABOVE`. A provider could invent their blocks, so
 * they are final only when a second one has the same block. A payment without a rate is marked too.
 */
export function markLargePayments(
  { config }: Pick<Context, 'config'>,
  { chain, compareBlock }: ChainAdapter,
  { events }: ScanResult,
  { rates, assessed }: { rates: RateSet | null; assessed: ReadonlyMap<string, Assessment> },
): ReadonlyMap<string, Assessment> {
  if (compareBlock === undefined) return assessed;
  const marked = new Map(assessed);
  for (const event of events) {
    if (event.type !== 'observed') continue;
    const { observation } = event;
    if (!isAbove(chain, observation, rates, config.rpcCompareAbove)) continue;
    const own = assessed.get(observation.key) ?? { risk: null, riskFailed: false, zeroConf: null };
    marked.set(observation.key, { ...own, mustCompare: true });
  }
  return marked;
}

function isAbove(
  chain: ChainId,
  { asset, amount }: Observation,
  rates: RateSet | null,
  limit: bigint,
): boolean {
  const kind = KINDS.find((one) => one.chain === chain && one.asset === asset);
  if (kind === undefined || rates === null || (rates.usd.get(kind.symbol) ?? 0n) === 0n)
    return true;
  return convert(amount, kind.symbol, 'USD', rates, 18, 'up') > limit;
}

export interface ComparedPayment {
  id: string;
  hash: string;
  height: number;
  outcome: BlockComparison;
}

/** Compares the blocks of marked payments that would be final at this tip. */
export async function compareBlocks(
  { db }: Pick<Context, 'db'>,
  adapter: ChainAdapter,
  { events, tip }: ScanResult,
): Promise<ComparedPayment[]> {
  const rollbackTo = Math.min(
    ...events.map((event) =>
      event.type === 'rollback' ? event.toHeight : Number.MAX_SAFE_INTEGER,
    ),
    Number.MAX_SAFE_INTEGER,
  );
  const due = await paymentsToCompare(db, adapter.chain, tip);
  const outcomes = new Map<string, Promise<BlockComparison>>();
  const compared = due
    .filter(({ height }) => height <= rollbackTo)
    .map(async (payment): Promise<ComparedPayment> => {
      const { height, hash } = payment;
      // Without a second provider in the settings nothing is left to wait for.
      const outcome =
        outcomes.get(hash) ?? adapter.compareBlock?.({ height, hash }) ?? Promise.resolve('same');
      outcomes.set(hash, outcome);
      return { ...payment, outcome: await outcome };
    });
  return Promise.all(compared);
}

/** Blocks compared in one look; the next one continues. */
const LIMIT = 100;

async function paymentsToCompare(
  db: Db,
  chain: ChainId,
  tip: number,
): Promise<Omit<ComparedPayment, 'outcome'>[]> {
  const { rows } = await sql<Omit<ComparedPayment, 'outcome'>>`
    select id, block_hash as hash, block_height as height from transaction
    where chain = ${chain} and must_compare and agreed_hash is distinct from block_hash
      and block_hash is not null and ${tip} - block_height + 1 >= final_confirmations
    order by block_height limit ${LIMIT}`.execute(db);
  return rows;
}

const DIFFERENT =
  'The providers of the chain have different blocks at this payment: it waits until they agree';
const UNKNOWN = 'No second provider shows the block of this payment: it waits until one does';
/** A provider may be silent for this time before an alarm. */
const SILENCE_SECONDS = 60;

/** Stores the blocks that two providers have, and ends the alarms about them. */
export async function saveAgreement(trx: Trx, compared: readonly ComparedPayment[]): Promise<void> {
  const ids = compared.flatMap(({ id, outcome }) => (outcome === 'same' ? [id] : []));
  if (ids.length === 0) return;
  const hashes = compared.map(({ hash }) => hash);
  await sql`
    update transaction set agreed_hash = block_hash
    where id = any(${ids}::uuid[]) and block_hash = any(${hashes}::text[])`.execute(trx);
  await sql`
    delete from alarm where resource_id = any(${ids}::uuid[]) and reason in (${DIFFERENT}, ${UNKNOWN})`.execute(
    trx,
  );
}

/** Raises an alarm for each payment that waits. */
export async function raiseDisagreement(
  context: Context,
  chain: ChainId,
  compared: readonly ComparedPayment[],
  tip: number,
): Promise<void> {
  const { blockSeconds, finalConfirmations } = CHAINS[chain];
  const patience = finalConfirmations + Math.ceil(SILENCE_SECONDS / blockSeconds);
  for (const { id, outcome, height } of compared) {
    if (outcome === 'different') await raiseAlarmAbout(context, id, DIFFERENT);
    if (outcome === 'unknown' && tip - height + 1 > patience)
      await raiseAlarmAbout(context, id, UNKNOWN);
  }
}
