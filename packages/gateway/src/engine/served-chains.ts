import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Context } from '../context.ts';

export interface ServedChains {
  network: 'mainnet' | 'testnet';
  /** The source of each chain: a node, or the simulation. */
  chains: Partial<Record<ChainId, 'node' | 'sandbox'>>;
}

/** The chains that this service offers, for its log. */
export const servedChains = ({
  network,
  chains,
}: Pick<Context, 'network' | 'chains'>): ServedChains => ({
  network,
  chains: Object.fromEntries([...chains.values()].map(({ chain, source }) => [chain, source])),
});

/** The kinds of all chains by the settings, also of chains whose nodes do not answer. */
export const configuredKinds = ({ chains }: Pick<Context, 'chains'>): string[] =>
  [...chains.values()].flatMap((chain) => chain.configuredKinds ?? chain.kinds);

/** The configured kinds that no profile offers. */
export async function kindsWithoutProfile({
  chains,
  db,
}: Pick<Context, 'chains' | 'db'>): Promise<string[]> {
  const { rows } = await sql<{ kind: string }>`
    select distinct c.kind from profile_currency c
      join profile p on p.account_id = c.account_id and p.id = c.profile_id
    where p.deleted_at is null`.execute(db);
  const offered = new Set(rows.map(({ kind }) => kind));
  return configuredKinds({ chains }).filter((kind) => !offered.has(kind));
}
