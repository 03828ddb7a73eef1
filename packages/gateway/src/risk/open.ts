import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { MempoolFacts } from '@crypto-checkout/chains/adapter';
import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import type { Db } from '../database/database.ts';
import { sandboxFlags } from '../sandbox/flags.ts';
import type { RiskCheck, ZeroConfCheck } from './check.ts';
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
  const lookUp = sandboxFlags(db);
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
      covers: (chain) => chains.get(chain)?.mempoolFacts !== undefined,
      async isSafe({ chain, txid }) {
        const facts = await chains.get(chain)?.mempoolFacts?.(txid);
        if (!facts) throw new Error(`The mempool of ${chain} does not have ${txid}`);
        return isLikelyMined(facts);
      },
    },
  };
}

/** Nodes relay nothing below this fee, in satoshi per byte. */
const MIN_RELAY_FEE_RATE = 1;

/**
 * The sender cannot take it back by a replacement, nothing that it spends can be taken back, and
 * its fee is that of the next block.
 */
function isLikelyMined(facts: MempoolFacts): boolean {
  const { replaceable, unconfirmedParents, feeRate, nextBlockRate = null } = facts;
  const least = Math.max(MIN_RELAY_FEE_RATE, nextBlockRate ?? 0);
  return !replaceable && unconfirmedParents === 0 && (feeRate === null || feeRate >= least);
}
