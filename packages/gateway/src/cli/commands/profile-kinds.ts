import { CHAINS, KINDS, kindOf } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { configuredKinds } from '../../engine/served-chains.ts';
import type { ProfileRow } from '../../profile/store.ts';
import { UsageError } from '../io.ts';

interface KindAndWallet {
  kind: string;
  wallet_id: string;
}

/** The named kinds, or all, each with the account's wallet of its chain. */
export async function currenciesOf(
  context: Context,
  accountId: string,
  list: string | undefined,
): Promise<KindAndWallet[]> {
  const offered = configuredKinds(context);
  if (list !== undefined)
    return withWallets(context, accountId, readKinds('--kinds', list, offered));
  const all = KINDS.map(({ kind }) => kind).filter((kind) => offered.includes(kind));
  return withWallets(context, accountId, all);
}

/**
 * The coins of a profile after the change; a coin that it has keeps its own settings.
 * @returns null without a change
 */
export async function changedCurrencies(
  context: Context,
  profile: Pick<ProfileRow, 'account_id' | 'currencies'>,
  { kinds, addKinds }: { kinds?: string; addKinds?: string },
): Promise<KindAndWallet[] | null> {
  if (kinds === undefined && addKinds === undefined) return null;
  const has = profile.currencies;
  // A kind that the profile has may stay, also when its chain is not set any more.
  const allowed = [...new Set([...configuredKinds(context), ...has.map(({ kind }) => kind)])];
  const wanted = [
    ...(kinds === undefined ? has.map(({ kind }) => kind) : readKinds('--kinds', kinds, allowed)),
    ...(addKinds === undefined ? [] : readKinds('--add-kinds', addKinds, allowed)),
  ];
  const kept = has.filter(({ kind }) => wanted.includes(kind));
  const added = [...new Set(wanted)].filter((kind) => !kept.some((one) => one.kind === kind));
  return [...kept, ...(await withWallets(context, profile.account_id, added))];
}

function readKinds(option: string, list: string, allowed: readonly string[]): string[] {
  return list.split(',').map((text) => {
    const typed = text.trim();
    // Some kinds have lower-case letters, which are easy to mistype.
    const kind = allowed.find((one) => one.toLowerCase() === typed.toLowerCase());
    if (kind === undefined)
      throw new UsageError(`${option}: "${typed}" is unknown; allowed: ${allowed.join(', ')}.`);
    return kind;
  });
}

async function withWallets(
  { db }: Context,
  accountId: string,
  kinds: readonly string[],
): Promise<KindAndWallet[]> {
  const { rows } = await sql<{ id: string; chain: string }>`
    select distinct on (chain) id, chain from wallet where account_id = ${accountId} order by chain, created_at`.execute(
    db,
  );
  const wallets = new Map(rows.map(({ id, chain }) => [chain, id]));
  return kinds.map((kind) => {
    const { walletChain } = CHAINS[kindOf(kind)!.chain];
    const wallet = wallets.get(walletChain);
    if (wallet === undefined)
      throw new UsageError(
        `The account has no wallet for ${kind} yet: a start of the gateway with the settings of ${CHAINS[walletChain].name} adds it.`,
      );
    return { kind, wallet_id: wallet };
  });
}
