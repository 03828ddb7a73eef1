import { sql } from 'kysely';
import { CHAINS, KINDS, type ChainId, type Kind } from '@crypto-checkout/protocol/kind';
import type { Db } from '../database/database.ts';
import type { ChainAdapter, ChainHealth } from '@crypto-checkout/chains/adapter';
import { deriveTarget } from '@crypto-checkout/chains/deposit-target';
import { whyDisabled } from '../profile/disabled-kinds.ts';
import type { PublicKeys } from '@crypto-checkout/chains/keys';
import { withinTime } from '@crypto-checkout/chains/within-time';
import { sandboxFlags } from './flags.ts';
import { scanSandbox } from './scan.ts';
import { findBlockAt } from './store.ts';

export interface SandboxChainsOptions {
  db: Db;
  keys: PublicKeys;
  /** Chains that a node serves. Default: none. */
  except?: ReadonlySet<ChainId>;
}

const HEALTH_TIMEOUT_MS = 1_500;

/**
 * Creates a simulated adapter for each chain. Blocks live in the database; addresses, checksums,
 * tags and payment requests are real.
 * @throws Error on a main network: simulated and real money must never mix
 * @example const chains = createSandboxChains({ db, keys: loadKeys(dataDir, { network: 'testnet' })
 * });
 */
export function createSandboxChains({
  db,
  keys,
  except = new Set(),
}: SandboxChainsOptions): Map<ChainId, ChainAdapter> {
  if (keys.network === 'mainnet')
    throw new Error('Sandbox chains must not run beside a main network');
  const chains = Object.keys(CHAINS) as ChainId[];
  return new Map(
    chains
      .filter((chain) => !except.has(chain))
      .map((chain) => [chain, sandboxChain(db, keys, chain)]),
  );
}

/** Kinds of a chain that can be paid: the native coin, and tokens with a known contract. */
export function receivableKinds(chain: ChainId): Kind[] {
  return KINDS.filter((kind) => kind.chain === chain && whyDisabled(kind) === null);
}

function sandboxChain(db: Db, keys: PublicKeys, chain: ChainId): ChainAdapter {
  return {
    chain,
    network: 'testnet',
    source: 'sandbox',
    kinds: receivableKinds(chain).map(({ kind }) => kind),
    // All chains but lightning show unconfirmed payments here, unlike some real ones, so that every
    // stage can be tried.
    mempool: chain !== 'lightning',
    health: () => health(db, chain),
    deriveTarget: (options) => deriveTarget(keys, chain, options),
    scan: (cursor, match, limits) =>
      scanSandbox({ db, chain, shared: chain === 'xrp' ? keys.xrp : null }, cursor, match, limits),
    blockAt: (height) => findBlockAt(db, chain, height),
    async mempoolFacts(txid) {
      const flags = await sandboxFlags(db)({ chain, txid });
      // A simulated mempool keeps no time.
      const none = { unconfirmedParents: 0, feeRate: null, ageSeconds: null };
      return flags && { replaceable: flags.replaceable, ...none };
    },
  };
}

const SILENT: ChainHealth = { ok: false, tip: null, detail: 'The database does not answer' };

async function health(db: Db, chain: ChainId): Promise<ChainHealth> {
  const ask = (): Promise<ChainHealth> =>
    sql<{ height: number }>`select height from sandbox_chain where chain = ${chain}`
      .execute(db)
      .then(({ rows }): ChainHealth => ({
        ok: rows[0] !== undefined,
        tip: rows[0]?.height ?? null,
        detail: null,
      }))
      .catch(() => SILENT);
  return withinTime(ask, HEALTH_TIMEOUT_MS, () => SILENT);
}
