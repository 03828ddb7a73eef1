import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { RiskLevel } from '@crypto-checkout/protocol/status';
import { sql } from 'kysely';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import type { Db } from '../database/database.ts';
import type { PaymentFacts, RiskCheck, ZeroConfCheck } from './check.ts';
import { applyRules, quarantinesByDefault } from './rules.ts';

export interface CheckOptions {
  config: Pick<Config, 'riskRules'>;
  db: Db;
  chains: Context['chains'];
}

/**
 * The checks of a running service: settings of a sandbox payment, and `RISK_RULES` on every
 * network.
 */
export function openChecks({ config, db, chains }: CheckOptions): {
  risk: RiskCheck;
  zeroConf: ZeroConfCheck;
} {
  const isSimulated = (chain: ChainId): boolean => chains.get(chain)?.source === 'sandbox';
  const lookUp = createSandboxLookup(db);
  return {
    risk: {
      covers: (chain) => config.riskRules.length > 0 || isSimulated(chain),
      async check(facts) {
        const level = isSimulated(facts.chain) ? (await lookUp(facts))?.risk : null;
        if (level)
          return { level, data: { source: 'sandbox' }, quarantine: quarantinesByDefault(level) };
        return applyRules(config.riskRules, facts);
      },
    },
    zeroConf: {
      covers: isSimulated,
      async isSafe(facts) {
        const found = await lookUp(facts);
        if (found === null) throw new Error(`Unknown sandbox transaction ${facts.txid}`);
        return !found.replaceable;
      },
    },
  };
}

interface SandboxAnswer {
  risk: RiskLevel | null;
  replaceable: boolean;
}

/**
 * Looks up the settings of `/sandbox/pay` payments. Lookups in the same event-loop turn share one
 * query.
 */
function createSandboxLookup(
  db: Db,
): (facts: Pick<PaymentFacts, 'chain' | 'txid'>) => Promise<SandboxAnswer | null> {
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
