import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { RiskLevel } from '@crypto-checkout/protocol/status';
import { sql } from 'kysely';
import type { Db } from '../database/database.ts';

/** Settings of a simulated payment, for the checks that ask other sources on a real chain. */
export interface SandboxAnswer {
  risk: RiskLevel | null;
  replaceable: boolean;
}

type LookUp = (payment: { chain: ChainId; txid: string }) => Promise<SandboxAnswer | null>;

const lookUps = new WeakMap<Db, LookUp>();

/**
 * Looks up the settings of `/sandbox/pay` payments. All lookups of a database in the same
 * event-loop turn share one query.
 */
export function sandboxFlags(db: Db): LookUp {
  const lookUp = lookUps.get(db) ?? createLookUp(db);
  lookUps.set(db, lookUp);
  return lookUp;
}

function createLookUp(db: Db): LookUp {
  let batch: { keys: Set<string>; answer: Promise<Map<string, SandboxAnswer>> } | null = null;
  const open = (): NonNullable<typeof batch> => {
    const keys = new Set<string>();
    const answer = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      batch = null;
      return loadSandboxAnswers(db, [...keys]);
    });
    return { keys, answer };
  };
  return async ({ chain, txid }) => {
    const key = `${chain} ${txid}`;
    batch ??= open();
    batch.keys.add(key);
    return (await batch.answer).get(key) ?? null;
  };
}

async function loadSandboxAnswers(
  db: Db,
  keys: readonly string[],
): Promise<Map<string, SandboxAnswer>> {
  const pairs = keys.map((key) => key.split(' ', 2));
  const { rows } = await sql<SandboxAnswer & { chain: string; txid: string }>`
    select chain, txid, risk, replaceable from sandbox_transaction where (chain, txid) in (
      select * from unnest(${pairs.map(([chain]) => chain)}::text[], ${pairs.map(([, txid]) => txid)}::text[]))`.execute(
    db,
  );
  return new Map(rows.map(({ chain, txid, ...answer }) => [`${chain} ${txid}`, answer]));
}
