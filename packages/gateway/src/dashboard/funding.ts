import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { Funding } from '@crypto-checkout/protocol/dashboard';
import { CHAINS, KINDS, type ChainId } from '@crypto-checkout/protocol/kind';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { sql } from 'kysely';
import { networkName } from '../alarm/coin-name.ts';
import { isOperatorAccount } from '../alarm/store.ts';
import type { Context } from '../context.ts';
import type { Db } from '../database/database.ts';
import { coinOf } from '../sweep/start-sweep.ts';
import { readUnswept } from '../sweep/unswept-funds.ts';

/**
 * The addresses to which an operator sends coins, so that payouts and sweeps go on, with what is
 * missing now. They are the service's own: other accounts see none.
 */
export async function readFunding(context: Context, accountId: string): Promise<Funding[]> {
  if (!(await isOperatorAccount(context.db, accountId))) return [];
  const found = await Promise.all(
    [...context.senders.values()].map((sender) => fundingOf(context, accountId, sender)),
  );
  return found.filter((one) => one !== null);
}

async function fundingOf(
  context: Context,
  accountId: string,
  sender: ChainSender,
): Promise<Funding | null> {
  const { chain } = sender;
  const address = sender.sweeping?.payoutAddress ?? sender.fundingAddress;
  if (address === undefined || context.chains.get(chain)?.source !== 'node') return null;
  const coin = coinOf(chain);
  const wallet = await walletOf(context.db, accountId, chain);
  const available = parseAmount(wallet?.available ?? '0');
  const needed = wallet === null ? 0n : await neededIn(context, chain, wallet.id).catch(() => null);
  return {
    chain,
    network: networkName(chain),
    currency: coin.symbol,
    address,
    pays_fees: KINDS.some((kind) => kind.chain === chain && kind.asset !== coin.asset),
    available: formatAmount(available),
    missing: needed === null ? null : formatAmount(needed > available ? needed - available : 0n),
  };
}

/** The fees of sweeps that are due, and the payouts that wait for money. */
async function neededIn(context: Context, chain: ChainId, walletId: string): Promise<Amount> {
  const { asset } = coinOf(chain);
  const { rows } = await sql<{ needed: string }>`
    select coalesce(sum(case when asset = ${asset} then total else 0 end
      + case when fee_asset = ${asset} then fee_reserve else 0 end), 0)::text as needed
    from payout where wallet_id = ${walletId} and chain = ${chain} and status = 'awaiting_funds'`.execute(
    context.db,
  );
  const { sweepFee } = await readUnswept(context, chain, walletId);
  return parseAmount(rows[0]!.needed) + sweepFee;
}

async function walletOf(
  db: Db,
  accountId: string,
  chain: ChainId,
): Promise<{ id: string; available: string } | null> {
  const { rows } = await sql<{ id: string; available: string }>`
    select w.id, coalesce((select amount from balance b where b.account_id = w.account_id and b.wallet_id = w.id
      and b.currency = ${coinOf(chain).asset} and b.bucket = 'available'), 0)::text as available
    from wallet w where w.account_id = ${accountId} and w.chain = ${CHAINS[chain].walletChain}
    order by w.created_at limit 1`.execute(db);
  return rows[0] ?? null;
}
