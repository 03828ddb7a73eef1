import { parseAmount } from '@crypto-checkout/protocol/amount';
import { CHAINS, KINDS, type ChainId } from '@crypto-checkout/protocol/kind';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import type { Db } from '../database/database.ts';
import { payoutWatchKey } from '../unassigned/payout-address.ts';
import { addressOf } from './address-of.ts';
import { compareBalances, type Difference } from './compare.ts';
import { FOUND } from './known-balances.ts';

/**
 * Compares the balance of the payout address with the books, at the newest final block. The books
 * say how much there must be: all balances, without what lies on deposit and cold addresses.
 * @returns null when nothing can be compared now, for instance while a transaction is on its way
 * @throws UnavailableError when the node does not answer
 */
export async function comparePayoutAddress(
  { db, senders }: Pick<Context, 'db' | 'senders'>,
  adapter: ChainAdapter,
): Promise<Difference[] | null> {
  const { chain } = adapter;
  const watchKey = payoutWatchKey(senders.get(chain));
  if (watchKey === null) return null;
  const books = await booksOf(db, chain, watchKey);
  if (books === null) return null;
  const { height } = books;
  const balances = (await adapter.balancesAt?.(height, [addressOf(watchKey)])) ?? null;
  if (balances === null) return null;
  return balances.map(({ asset, amount }) => {
    const own = books.balances.get(asset) ?? NOTHING;
    return { ...own, chain, watchKey, asset, balance: amount, height, place: 'payout' };
  });
}

/** Compares one address, whichever of both it is. */
export async function compareAddress(
  context: Pick<Context, 'db' | 'senders'>,
  adapter: ChainAdapter,
  watchKey: string,
): Promise<Difference[] | null> {
  return watchKey === payoutWatchKey(context.senders.get(adapter.chain))
    ? comparePayoutAddress(context, adapter)
    : compareBalances(context, adapter, [watchKey]);
}

const NOTHING = { known: 0n, found: 0n, open: 0n, hasColdCoins: false };

interface PayoutAddressBooks {
  height: number;
  balances: ReadonlyMap<string, Pick<Difference, keyof typeof NOTHING>>;
}

async function booksOf(
  db: Db,
  chain: ChainId,
  watchKey: string,
): Promise<PayoutAddressBooks | null> {
  const assets = [...new Set(KINDS.filter((one) => one.chain === chain).map(({ asset }) => asset))];
  const { finalConfirmations } = CHAINS[chain];
  const { rows } = await sql<{
    height: number;
    is_quiet: boolean;
    asset: string | null;
    known: string;
    found: string;
    open: string;
    has_cold_coins: boolean;
  }>`
    with scanned as (
      select (cursor->>'height')::bigint - ${finalConfirmations} + 1 as height from chain_cursor where chain = ${chain}),
    part as (
      select currency as asset, amount, 0 as found, 0 as open from balance where currency = any(${assets}::text[])
      -- conversions change the balances, and no coin moves
      union all select from_asset, amount, 0, 0 from conversion where status = 'complete' and from_asset = any(${assets}::text[])
      union all select to_asset, -to_amount, 0, 0 from conversion where status = 'complete' and to_asset = any(${assets}::text[])
      union all select asset, -amount, 0, 0 from deposit where chain = ${chain} and amount > 0
      union all select asset, -amount, 0, 0 from transaction where chain = ${chain} and not collected and credit <> 'none'
      union all select asset, -amount, 0, 0 from sweep where chain = ${chain} and status = 'complete' and recipient is not null
      -- the chain took these fees, and the balances still have them
      union all select currency, -amount, 0, 0 from owed_fee where currency = any(${assets}::text[])
      union all
      select u.asset, case when u.wallet_id is null then u.amount else 0 end,
        case when starts_with(u.observation_key, ${FOUND}) then u.amount else 0 end,
        case when starts_with(u.observation_key, ${FOUND}) and u.settled_at is null then u.amount else 0 end
      from unassigned u, scanned
      where u.chain = ${chain} and u.address in (${watchKey}, ${addressOf(watchKey)}) and coalesce(u.block_height, 0) <= scanned.height)
    select scanned.height, p.asset,
      exists (select from sweep s where s.chain = ${chain} and s.asset = p.asset and s.recipient is not null) as has_cold_coins,
      sum(p.amount) as known, sum(p.found) as found, sum(p.open) as open,
      -- what is on its way has left the address, or not: the books cannot say
      not exists (select from outgoing o where o.chain = ${chain} and o.open and o.tries > 0)
      and not exists (select from sweep s where s.chain = ${chain} and s.status in ('topping_up', 'sending'))
      and not exists (select from payout o where o.chain = ${chain} and o.hold = 'held'
        and o.status in ('pending', 'unconfirmed', 'confirmed') and coalesce(o.block_height, 0) <= scanned.height)
      -- the scan is behind: the books already have what a later block moves
      and not exists (select from payout o where o.chain = ${chain} and o.hold in ('spent', 'released')
        and o.block_height > scanned.height)
      and not exists (select from sweep s where s.chain = ${chain} and s.status in ('complete', 'failed')
        and greatest(s.top_up_height, s.block_height) > scanned.height) as is_quiet
    from scanned left join part p on true
    group by scanned.height, p.asset`.execute(db);
  const [first] = rows;
  if (first === undefined || first.height < 0 || !first.is_quiet) return null;
  const balances = rows.flatMap(({ asset, known, found, open, has_cold_coins }) =>
    asset === null
      ? []
      : [
          [
            asset,
            {
              known: parseAmount(known),
              found: parseAmount(found),
              open: parseAmount(open),
              hasColdCoins: has_cold_coins,
            },
          ] as const,
        ],
  );
  return { height: first.height, balances: new Map(balances) };
}
