import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import type { Context } from '../context.ts';
import { timestamp, type Trx } from '../database/database.ts';

/**
 * Adds a wallet for each served chain that the account has none of.
 * @returns the added wallets by their chain
 */
export async function addWallets(
  { ids, chains, clock }: Pick<Context, 'ids' | 'chains' | 'clock'>,
  trx: Trx,
  accountId: string,
): Promise<Map<ChainId, string>> {
  const present = await trx
    .selectFrom('wallet')
    .select('chain')
    .where('account_id', '=', accountId)
    .execute();
  const had = new Set<string>(present.map(({ chain }) => chain));
  // Lightning shares the wallet of bitcoin.
  const served = new Set([...chains.keys()].map((id) => CHAINS[id].walletChain));
  const missing = [...served].filter((chain) => !had.has(chain));
  const rows = missing.map((chain) => ({
    account_id: accountId,
    id: ids.uuid(),
    name: `${CHAINS[chain].name} wallet`,
    chain,
    created_at: timestamp(clock.now()),
  }));
  if (rows.length > 0) await trx.insertInto('wallet').values(rows).execute();
  return new Map(rows.map(({ chain, id }) => [chain, id]));
}

/** Adds the wallets of chains that were set after an account was made. */
export async function addMissingWallets(context: Context, trx: Trx): Promise<void> {
  const accounts = await trx.selectFrom('account').select('id').execute();
  for (const { id } of accounts) await addWallets(context, trx, id);
}
