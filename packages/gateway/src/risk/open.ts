import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { RiskLevel } from '@crypto-checkout/protocol/status';
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
  return {
    risk: {
      covers: (chain) => config.riskRules.length > 0 || isSimulated(chain),
      async check(facts) {
        const told = isSimulated(facts.chain) ? (await toldOf(db, facts))?.risk : null;
        if (told) return { level: told, data: { source: 'sandbox' }, quarantine: isHeldByDefault(told) };
        return applyRules(config.riskRules, facts);
      },
    },
    zeroConf: {
      covers: isSimulated,
      async isSafe(facts) {
        const told = await toldOf(db, facts);
        if (told === null) throw new Error(`The sandbox knows no transaction ${facts.txid}`);
        return !told.replaceable;
      },
    },
  };
}

/** What `/sandbox/pay` said of a payment. */
async function toldOf(db: Db, { chain, txid }: PaymentFacts): Promise<{ risk: RiskLevel | null; replaceable: boolean } | null> {
  const row = await db
    .withTables<{ sandbox_transaction: { chain: string; txid: string; risk: RiskLevel | null; replaceable: boolean } }>()
    .selectFrom('sandbox_transaction')
    .select(['risk', 'replaceable'])
    .where('chain', '=', chain)
    .where('txid', '=', txid)
    .executeTakeFirst();
  return row ?? null;
}
