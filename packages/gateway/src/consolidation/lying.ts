import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { kindOf, type ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import type { ChainSender, Consolidation, FeeEstimate } from '../chain/sender.ts';
import type { Context } from '../context.ts';
import type { Db } from '../database/database.ts';
import { UnavailableError } from '../http/error.ts';
import { coinOf, isWorth, TIMES_FEE, transfer } from './begin.ts';

/** What of a wallet lies on deposit addresses, by asset, and what moving it together can cost in the chain's coin. */
export interface Lying {
  coin: string;
  amounts: ReadonlyMap<string, Amount>;
  cost: Amount;
}

/** Until it is moved fees may rise so many times; a sweep that can't pay its fee would keep a payout waiting. */
const FEES_MAY_RISE = 2n;

/**
 * What has to be known of a wallet before something of it is held for a payout. Asks the chain: never in a database transaction.
 * @throws UnavailableError when the node does not answer
 */
export async function readLying(context: Context, chain: ChainId, walletId: string): Promise<Lying> {
  const coin = coinOf(chain);
  const sender = context.senders.get(chain);
  const nothing = { coin: coin.asset, amounts: new Map<string, Amount>(), cost: 0n };
  if (sender?.consolidation === undefined) return nothing;
  const places = await placesOf(context.db, chain, walletId);
  const due = places.filter(({ is_due }) => is_due);
  if (due.length === 0) return nothing;
  const amounts = new Map<string, Amount>();
  for (const { asset, amount } of places) amounts.set(asset, (amounts.get(asset) ?? 0n) + parseAmount(amount));
  const gas = new Map(
    places.flatMap((place) => (place.asset === coin.asset ? [[place.invoice_id, parseAmount(place.amount)] as const] : [])),
  );
  const fees = new Map<string, Fees | null>();
  let cost = 0n;
  for (const place of due) {
    const { asset, invoice_id } = place;
    if (!fees.has(asset)) fees.set(asset, await feesOf(sender, sender.consolidation, place));
    const known = fees.get(asset);
    if (!known) continue;
    const { own } = known;
    const topUp = (gas.get(invoice_id) ?? 0n) >= own.reserve ? FREE : known.topUp;
    const moved = parseAmount(place.amount) - (asset === coin.asset ? own.reserve : 0n);
    if (moved > 0n && (await isWorth(context, moved, kindOf(asset)!, coin, (own.fee + topUp.fee) * TIMES_FEE)))
      cost += own.reserve + topUp.reserve;
  }
  return { coin: coin.asset, amounts, cost: cost * FEES_MAY_RISE };
}

/**
 * Whether what a payout leaves available lets it be sent: it needs nothing that lies on deposit addresses, or enough of the coin
 * stays to move that together.
 */
export function leavesEnough({ coin, amounts, cost }: Lying, left: ReadonlyMap<string, Amount>): boolean {
  if (cost === 0n || (left.get(coin) ?? 0n) >= cost) return true;
  return [...left].every(([asset, amount]) => amount >= (amounts.get(asset) ?? 0n));
}

interface Place {
  invoice_id: string;
  asset: string;
  amount: string;
  address: string;
  key_index: number | null;
  /** Payments that no sweep has begun to move yet. */
  is_due: boolean;
}

/** What was moved, or is in a block on its way, lies there no more; what is final counts before the worker has counted it. */
async function placesOf(db: Db, chain: ChainId, walletId: string): Promise<Place[]> {
  const { rows } = await sql<Place>`
    select l.invoice_id, l.asset, sum(l.amount)::text as amount, i.address,
      (select t.key_index from deposit_target t where t.invoice_id = l.invoice_id limit 1) as key_index,
      bool_or(l.is_new) and not exists (select from sweep s where s.chain = ${chain} and s.invoice_id = l.invoice_id
        and s.asset = l.asset and s.status in ('topping_up', 'sending')) as is_due
    from (
      select invoice_id, asset, amount, since is not null as is_new from deposit
      where wallet_id = ${walletId} and chain = ${chain} and amount > 0
      union all
      select invoice_id, asset, amount, true from transaction
      where wallet_id = ${walletId} and chain = ${chain} and credit = 'available' and not collected and not owed
      union all
      select invoice_id, asset, -amount, false from sweep
      where wallet_id = ${walletId} and chain = ${chain} and status = 'sending' and block_height is not null
    ) l join invoice i on i.id = l.invoice_id
    group by l.invoice_id, l.asset, i.address having sum(l.amount) > 0`.execute(db);
  return rows;
}

interface Fees {
  own: FeeEstimate;
  topUp: FeeEstimate;
}

const FREE: FeeEstimate = { fee: 0n, reserve: 0n };

/** One transfer of an asset costs what the others do. @returns null when it can't be said, because it can't be moved */
async function feesOf(
  sender: ChainSender,
  consolidation: Consolidation,
  { asset, address, key_index: index, amount }: Place,
): Promise<Fees | null> {
  const coin = coinOf(sender.chain).asset;
  try {
    const own = await consolidation.from({ address, index }).estimate(transfer(asset, consolidation.payoutAddress, parseAmount(amount)));
    return { own, topUp: asset === coin ? FREE : await sender.estimate(transfer(coin, address, own.reserve)) };
  } catch (error) {
    if (error instanceof UnavailableError) throw error;
    return null;
  }
}
