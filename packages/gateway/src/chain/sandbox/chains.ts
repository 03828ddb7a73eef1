import { sql } from 'kysely';
import { CHAINS, KINDS, type ChainId, type Kind } from '@crypto-checkout/protocol/kind';
import type { Db } from '../../database/database.ts';
import type { ChainAdapter, ChainHealth } from '../adapter.ts';
import { deriveTarget } from '../derive/target.ts';
import { whyDisabled } from '../disabled.ts';
import type { PublicKeys } from '../keys.ts';
import { scanSandbox } from './scan.ts';
import { findBlockAt } from './store.ts';

export interface SandboxChainsOptions {
  db: Db;
  keys: PublicKeys;
  /** Chains that a node stands for. Default: none. */
  except?: ReadonlySet<ChainId>;
}

const HEALTH_TIMEOUT_MS = 1_500;

/**
 * An adapter for every chain, simulated in the database: addresses, checksums, tags and requests are real, only blocks are not.
 * @throws Error on a main network: simulated money must never stand beside real money
 * @example const chains = createSandboxChains({ db, keys: loadKeys(dataDir, { network: 'testnet' }) });
 */
export function createSandboxChains({ db, keys, except = new Set() }: SandboxChainsOptions): Map<ChainId, ChainAdapter> {
  if (keys.network === 'mainnet') throw new Error('A sandbox chain never stands beside a main network');
  const chains = Object.keys(CHAINS) as ChainId[];
  return new Map(chains.filter((chain) => !except.has(chain)).map((chain) => [chain, sandboxChain(db, keys, chain)]));
}

/** Kinds of a chain that can be paid: its own coin, and tokens whose contract is known. */
export function receivableKinds(chain: ChainId): Kind[] {
  return KINDS.filter((kind) => kind.chain === chain && whyDisabled(kind) === null);
}

function sandboxChain(db: Db, keys: PublicKeys, chain: ChainId): ChainAdapter {
  return {
    chain,
    network: 'testnet',
    source: 'sandbox',
    kinds: receivableKinds(chain).map(({ kind }) => kind),
    // Real chains differ; here every one but lightning shows payments before they are in a block, so that all stages can be tried.
    mempool: chain !== 'lightning',
    health: () => health(db, chain),
    deriveTarget: (options) => deriveTarget(keys, chain, options),
    scan: (cursor, match, limits) => scanSandbox({ db, chain, shared: chain === 'xrp' ? keys.xrp : null }, cursor, match, limits),
    blockAt: (height) => findBlockAt(db, chain, height),
  };
}

async function health(db: Db, chain: ChainId): Promise<ChainHealth> {
  const asked = sql<{ height: number }>`select height from sandbox_chain where chain = ${chain}`
    .execute(db)
    .then(({ rows }): ChainHealth => ({ ok: rows[0] !== undefined, tip: rows[0]?.height ?? null, detail: null }))
    .catch((): ChainHealth => ({ ok: false, tip: null, detail: 'The database does not answer' }));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<ChainHealth>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, tip: null, detail: 'The database does not answer' }), HEALTH_TIMEOUT_MS);
  });
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}
