import { formatAmount, parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import { kindOf, type ChainId } from '@crypto-checkout/protocol/kind';
import { withinTime } from '@crypto-checkout/chains/within-time';
import { sql } from 'kysely';
import type { ChainSender, Sweeping, FeeEstimate } from '@crypto-checkout/chains/sender';
import type { Context } from '../context.ts';
import type { Db } from '../database/database.ts';
import { UnavailableError } from '../http/error.ts';
import { coinOf, isWorthAtLeast, MIN_FEE_MULTIPLE, transfer } from './start-sweep.ts';

/**
 * A wallet's funds on deposit addresses, by asset, and the maximum fee in the chain's coin to sweep
 * them.
 */
export interface UnsweptFunds {
  coin: string;
  amounts: ReadonlyMap<string, Amount>;
  sweepFee: Amount;
}

/** Margin for fees that rise before the sweep: a sweep without its fee would block a payout. */
const FEE_MARGIN = 2n;

/**
 * The coin that must stay available so that the chain's coin can be swept from an invoice's deposit
 * address. Zero on chains whose payouts spend every address, or where it cannot be swept. Queries
 * the chain, so never call it in a database transaction.
 * @throws UnavailableError if the node does not answer
 */
export async function coinSweepFee(
  context: Context,
  chain: ChainId,
  invoiceId: string,
  amount: Amount,
): Promise<Amount> {
  const sender = context.senders.get(chain);
  if (sender?.sweeping === undefined) return 0n;
  const { asset } = coinOf(chain);
  const { rows } = await sql<Pick<DepositAddress, 'address' | 'key_index'>>`
    select address, (select t.key_index from deposit_target t where t.invoice_id = i.id limit 1) as key_index
    from invoice i where id = ${invoiceId} and address is not null`.execute(context.db);
  const [deposit] = rows;
  if (deposit === undefined) return 0n;
  const transferred = { ...deposit, asset, amount: formatAmount(amount) };
  const fees = await estimateFees(sender, sender.sweeping, transferred);
  return fees === null ? 0n : fees.own.reserve * FEE_MARGIN;
}

/**
 * Reads the facts needed before funds are held for a payout. Queries the chain, so never call it in
 * a database transaction.
 * @throws UnavailableError if the node does not answer
 */
export async function readUnswept(
  context: Context,
  chain: ChainId,
  walletId: string,
): Promise<UnsweptFunds> {
  const { funds, estimate } = await findUnswept(context, chain, walletId);
  return { ...funds, sweepFee: await estimate() };
}

/** Above every balance. */
const UNKNOWN_FEE = 10n ** 36n;

/** Whether the node did not say what the sweeps cost. */
export const hasUnknownFee = ({ sweepFee }: UnsweptFunds): boolean => sweepFee === UNKNOWN_FEE;

/**
 * Like `readUnswept`. When the node does not answer in time, the fee is unknown (`hasUnknownFee`),
 * and only a payout that needs no unswept funds is possible.
 */
export async function readUnsweptInTime(
  context: Context,
  chain: ChainId,
  walletId: string,
  timeoutMs: number,
): Promise<UnsweptFunds> {
  const { funds, estimate } = await findUnswept(context, chain, walletId);
  try {
    return { ...funds, sweepFee: await withinTime(estimate, timeoutMs, () => UNKNOWN_FEE) };
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    return { ...funds, sweepFee: UNKNOWN_FEE };
  }
}

/** The funds of the books, and their fee, for which `estimate` asks the node. */
async function findUnswept(
  context: Context,
  chain: ChainId,
  walletId: string,
): Promise<{ funds: Omit<UnsweptFunds, 'sweepFee'>; estimate: () => Promise<Amount> }> {
  const coin = coinOf(chain).asset;
  const sender = context.senders.get(chain);
  const nothing = { funds: { coin, amounts: new Map<string, Amount>() }, estimate: async () => 0n };
  if (sender?.sweeping === undefined) return nothing;
  const { sweeping } = sender;
  const deposits = await fundedAddresses(context.db, chain, walletId);
  if (!deposits.some(({ is_due }) => is_due)) return nothing;
  const amounts = new Map<string, Amount>();
  for (const { asset, amount } of deposits)
    amounts.set(asset, (amounts.get(asset) ?? 0n) + parseAmount(amount));
  const estimate = () => sweepFeeOf(context, sender, sweeping, deposits);
  return { funds: { coin, amounts }, estimate };
}

/** The maximum fee to sweep all due deposits that are worth it, with its margin. */
async function sweepFeeOf(
  context: Context,
  sender: ChainSender,
  sweeping: Sweeping,
  deposits: readonly DepositAddress[],
): Promise<Amount> {
  const coin = coinOf(sender.chain);
  const gas = new Map(
    deposits.flatMap((deposit) =>
      deposit.asset === coin.asset
        ? [[deposit.invoice_id, parseAmount(deposit.amount)] as const]
        : [],
    ),
  );
  const fees = new Map<string, Fees | null>();
  let sweepFee = 0n;
  for (const deposit of deposits.filter(({ is_due }) => is_due)) {
    const { asset, invoice_id } = deposit;
    if (!fees.has(asset)) fees.set(asset, await estimateFees(sender, sweeping, deposit));
    const assetFees = fees.get(asset);
    if (!assetFees) continue;
    const { own } = assetFees;
    const topUp = (gas.get(invoice_id) ?? 0n) >= own.reserve ? FREE : assetFees.topUp;
    const moved = parseAmount(deposit.amount) - (asset === coin.asset ? own.reserve : 0n);
    if (
      moved > 0n &&
      (await isWorthAtLeast(
        context,
        moved,
        kindOf(asset)!,
        coin,
        (own.fee + topUp.fee) * MIN_FEE_MULTIPLE,
      ))
    )
      sweepFee += own.reserve + topUp.reserve;
  }
  return sweepFee * FEE_MARGIN;
}

/**
 * Whether a payout can be sent with what it leaves available: either it needs no unswept funds, or
 * enough of the coin remains to sweep them.
 */
export function leavesSweepFee(
  { coin, amounts, sweepFee }: UnsweptFunds,
  remaining: ReadonlyMap<string, Amount>,
): boolean {
  if (sweepFee === 0n || (remaining.get(coin) ?? 0n) >= sweepFee) return true;
  return [...remaining].every(([asset, amount]) => amount >= (amounts.get(asset) ?? 0n));
}

interface DepositAddress {
  invoice_id: string;
  asset: string;
  amount: string;
  address: string;
  key_index: number | null;
  /** Whether the address has payments that no open sweep covers. */
  is_due: boolean;
}

/**
 * Swept amounts, and amounts in a block on their way, no longer count; final payments count before
 * the worker has collected them.
 */
async function fundedAddresses(
  db: Db,
  chain: ChainId,
  walletId: string,
): Promise<DepositAddress[]> {
  const { rows } = await sql<DepositAddress>`
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

/**
 * The transfer fee per asset, the same for all its deposits.
 * @returns null if the asset cannot be moved
 */
async function estimateFees(
  sender: ChainSender,
  sweeping: Sweeping,
  {
    asset,
    address,
    key_index: index,
    amount,
  }: Pick<DepositAddress, 'asset' | 'address' | 'key_index' | 'amount'>,
): Promise<Fees | null> {
  const coin = coinOf(sender.chain).asset;
  try {
    const own = await sweeping
      .from({ address, index })
      .estimate(transfer(asset, sweeping.payoutAddress, parseAmount(amount)));
    return {
      own,
      topUp: asset === coin ? FREE : await sender.estimate(transfer(coin, address, own.reserve)),
    };
  } catch (error) {
    if (error instanceof UnavailableError) throw error;
    return null;
  }
}
