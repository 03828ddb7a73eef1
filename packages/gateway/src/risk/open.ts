import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { RiskLevel } from '@crypto-checkout/protocol/status';
import { sql } from 'kysely';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import type { Db } from '../database/database.ts';
import type { PaymentFacts, RiskCheck, ZeroConfCheck } from './check.ts';
import { applyRules, isHeldByDefault } from './rules.ts';

export interface CheckOptions {
  config: Pick<Config, 'riskRules'>;
  db: Db;
  chains: Context['chains'];
}

/** The checks of a running service: what a sandbox payment says of itself, and the rules of `RISK_RULES` on every network. */
export function openChecks({ config, db, chains }: CheckOptions): { risk: RiskCheck; zeroConf: ZeroConfCheck } {
  const isSimulated = (chain: ChainId): boolean => chains.get(chain)?.source === 'sandbox';
  const told = sandboxTeller(db);
  return {
    risk: {
      covers: (chain) => config.riskRules.length > 0 || isSimulated(chain),
      async check(facts) {
        const level = isSimulated(facts.chain) ? (await told(facts))?.risk : null;
        if (level) return { level, data: { source: 'sandbox' }, quarantine: isHeldByDefault(level) };
        return applyRules(config.riskRules, facts);
      },
    },
    zeroConf: {
      covers: isSimulated,
      async isSafe(facts) {
        const known = await told(facts);
        if (known === null) throw new Error(`The sandbox knows no transaction ${facts.txid}`);
        return !known.replaceable;
      },
    },
  };
}

interface Told {
  risk: RiskLevel | null;
  replaceable: boolean;
}

/** What `/sandbox/pay` said of payments; what is asked in one moment is one query. */
function sandboxTeller(db: Db): (facts: Pick<PaymentFacts, 'chain' | 'txid'>) => Promise<Told | null> {
  let batch: { keys: Set<string>; answer: Promise<Map<string, Told>> } | null = null;
  const open = (): NonNullable<typeof batch> => {
    const keys = new Set<string>();
    const answer = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      batch = null;
      return toldOf(db, [...keys]);
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

async function toldOf(db: Db, keys: readonly string[]): Promise<Map<string, Told>> {
  const pairs = keys.map((key) => key.split(' ', 2));
  const { rows } = await sql<Told & { chain: string; txid: string }>`
    select chain, txid, risk, replaceable from sandbox_transaction where (chain, txid) in (
      select * from unnest(${pairs.map(([chain]) => chain)}::text[], ${pairs.map(([, txid]) => txid)}::text[]))`.execute(db);
  return new Map(rows.map(({ chain, txid, ...told }) => [`${chain} ${txid}`, told]));
}
