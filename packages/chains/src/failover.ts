import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import type { BlockComparison, ChainAdapter, ChainHealth, Match, TracedBlock } from './adapter.ts';
import { UnavailableError } from './error.ts';
import { JsonRpcError, type JsonRpc } from './json-rpc.ts';

/** One provider of a chain's node. */
export interface Provider<T> {
  /** For log lines; without its address, which can contain a key. */
  name: string;
  value: T;
  /** Height of its newest block; null without an answer. Resolves within 2 s and never throws. */
  tip(): Promise<number | null>;
}

export interface FailoverOptions<T> {
  /** In the order of preference. Providers can be added later. */
  providers: () => readonly Provider<T>[];
  /** Blocks that a provider may be behind the others. */
  maxLag: number;
  /** Real time in milliseconds. Default: `Date.now`. */
  now?: () => number;
  /** Called when another provider is used from now on. */
  onSwitch?: (name: string) => void;
}

/** Chooses a provider of a chain that answers and does not lag. */
export interface Failover<T> {
  /** Does work with one provider only. A failure is thrown, and the next look uses another. */
  look<R>(work: (value: T) => Promise<R>): Promise<R>;
  /** Does work with one provider, and repeats it with the others while none answers. */
  call<R>(work: (value: T) => Promise<R>): Promise<R>;
}

const COMPARE_TIPS_EVERY_MS = 5_000;
/** A provider that failed is not used for this time, unless all failed. */
const AVOID_MS = 30_000;

export function createFailover<T>({
  providers,
  maxLag,
  now = Date.now,
  onSwitch = () => {},
}: FailoverOptions<T>): Failover<T> {
  const failedAt = new Map<string, number>();
  let tips = new Map<string, number | null>();
  let comparedAt = Number.NEGATIVE_INFINITY;
  let comparison: Promise<void> | null = null;
  let used: string | null = null;

  async function compareTips(all: readonly Provider<T>[]): Promise<void> {
    const found = await Promise.all(
      all.map(async (provider) => [provider.name, await provider.tip()] as const),
    );
    tips = new Map(found);
    comparedAt = now();
  }

  const hasFailed = ({ name }: Provider<T>): boolean =>
    now() - (failedAt.get(name) ?? Number.NEGATIVE_INFINITY) < AVOID_MS;

  async function choose(): Promise<Provider<T>> {
    const all = providers();
    const [only] = all;
    if (only === undefined) throw new UnavailableError('No provider of the node answers');
    if (all.length === 1) return only;
    if (now() - comparedAt >= COMPARE_TIPS_EVERY_MS || all.some(({ name }) => !tips.has(name))) {
      comparison ??= compareTips(all).finally(() => (comparison = null));
      await comparison;
    }
    const heights = [...tips.values()].filter((tip) => tip !== null);
    const lowest = Math.max(...heights) - maxLag;
    const usable = all.filter((provider) => !hasFailed(provider));
    const isNear = (tip: number | null | undefined): boolean => tip != null && tip >= lowest;
    const current = usable.find(({ name }) => isNear(tips.get(name))) ?? usable[0];
    return current ?? all.toSorted((a, b) => failedAt.get(a.name)! - failedAt.get(b.name)!)[0]!;
  }

  async function useOne<R>(provider: Provider<T>, work: (value: T) => Promise<R>): Promise<R> {
    const { name } = provider;
    if (used !== null && used !== name) onSwitch(name);
    used = name;
    try {
      return await work(provider.value);
    } catch (error) {
      if (error instanceof UnavailableError || error instanceof JsonRpcError)
        failedAt.set(name, now());
      throw error;
    }
  }

  return {
    look: async (work) => useOne(await choose(), work),
    async call(work) {
      const first = await choose();
      try {
        return await useOne(first, work);
      } catch (error) {
        const others = providers().filter(({ name }) => name !== first.name);
        return await askOthers(others, (provider) => useOne(provider, work), error);
      }
    },
  };
}

/** Asks one after another while none answers. @throws the first failure if all are silent */
async function askOthers<T, R>(
  others: readonly Provider<T>[],
  ask: (provider: Provider<T>) => Promise<R>,
  failure: unknown,
): Promise<R> {
  if (!(failure instanceof UnavailableError)) throw failure;
  for (const provider of others) {
    try {
      return await ask(provider);
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
    }
  }
  throw failure;
}

/** JSON-RPC calls to the chosen provider; the next one is asked when it does not answer. */
export function createFailoverRpc(failover: Failover<{ rpc: JsonRpc }>): JsonRpc {
  return {
    call: (call) => failover.call(({ rpc }) => rpc.call(call)),
    batch: (calls) => failover.call(({ rpc }) => rpc.batch(calls)),
  };
}

export interface FailoverAdapterOptions {
  chain: ChainId;
  network: 'mainnet' | 'testnet';
  failover: Failover<{ adapter: ChainAdapter }>;
  /** Adapters of the providers that answered so far; each serves the same chain and kinds. */
  adapters: () => readonly ChainAdapter[];
  /** Whether blocks can be compared: the chain has several providers. */
  compares: boolean;
  configuredKinds: readonly string[];
  /** Whether payments of the chain can be accepted without a confirmation. Default: false. */
  hasMempoolFacts?: boolean;
  /** Whether the chain's scans need traces. Default: false. */
  hasTraces?: boolean;
  /** As in `ChainAdapter`. Default: none. */
  onNews?: ChainAdapter['onNews'];
  /** Why no provider answered so far. */
  closedReason: () => string;
}

/**
 * One chain over several providers. Each scan uses one provider, so it never sees a mixture of two.
 * Until a provider answered the chain offers no kind.
 */
export function createFailoverAdapter({
  chain,
  network,
  failover,
  adapters,
  compares,
  configuredKinds,
  hasMempoolFacts = false,
  hasTraces = false,
  onNews,
  closedReason,
}: FailoverAdapterOptions): ChainAdapter {
  const requireOpen = (): ChainAdapter => {
    const [first] = adapters();
    if (first === undefined) throw new UnavailableError(closedReason());
    return first;
  };
  return {
    chain,
    network,
    source: 'node',
    get kinds() {
      return adapters()[0]?.kinds ?? [];
    },
    configuredKinds,
    mempool: CHAINS[chain].mempool,
    health: async () => {
      const closed: ChainHealth = { ok: false, tip: null, detail: closedReason() };
      return best(await Promise.all(adapters().map((adapter) => adapter.health()))) ?? closed;
    },
    deriveTarget: async (options) => requireOpen().deriveTarget(options),
    async scan(cursor, match, limits) {
      requireOpen();
      return failover.look(({ adapter }) => adapter.scan(cursor, match, limits));
    },
    async blockAt(height) {
      requireOpen();
      return failover.call(({ adapter }) => adapter.blockAt(height));
    },
    async balancesAt(height, addresses) {
      requireOpen();
      return failover.call(
        async ({ adapter }) => (await adapter.balancesAt?.(height, addresses)) ?? null,
      );
    },
    ...(hasMempoolFacts
      ? {
          mempoolFacts: async (txid: string) =>
            failover.call(async ({ adapter }) => (await adapter.mempoolFacts?.(txid)) ?? null),
        }
      : {}),
    ...(hasTraces
      ? {
          traceBlock: async (block, match) => {
            requireOpen();
            return traceBlock(adapters(), block, match);
          },
        }
      : {}),
    ...(onNews === undefined ? {} : { onNews }),
    ...(compares ? { compareBlock: (block) => compareBlock(adapters(), block) } : {}),
  };
}

/** Few providers trace, so each is asked until one has traced the whole block. */
async function traceBlock(
  adapters: readonly ChainAdapter[],
  block: { height: number; hash: string },
  match: Match,
): Promise<TracedBlock | null> {
  let part: TracedBlock | null = null;
  let failure: unknown = null;
  for (const adapter of adapters) {
    try {
      const traced = (await adapter.traceBlock?.(block, match)) ?? null;
      if (traced?.complete === true) return traced;
      part ??= traced;
    } catch (error) {
      failure = error;
    }
  }
  if (part === null && failure !== null) throw failure;
  return part;
}

/** The state of the chain is that of its best provider. */
function best(found: readonly ChainHealth[]): ChainHealth | undefined {
  return found.toSorted((a, b) => Number(b.ok) - Number(a.ok) || (b.tip ?? -1) - (a.tip ?? -1))[0];
}

async function compareBlock(
  adapters: readonly ChainAdapter[],
  { height, hash }: { height: number; hash: string },
): Promise<BlockComparison> {
  const found = await Promise.all(
    adapters.map(async (adapter) => (await adapter.blockAt(height).catch(() => null))?.hash),
  );
  const hashes = found.filter((own) => own !== undefined);
  if (hashes.some((own) => own !== hash)) return 'different';
  return hashes.length >= 2 ? 'same' : 'unknown';
}
