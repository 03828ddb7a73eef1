import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { Trx } from '../database/database.ts';
import { post, type Line } from '../ledger/post.ts';
import type { Sweep } from './store.ts';

type Held = Pick<
  Sweep,
  'id' | 'account_id' | 'wallet_id' | 'fee_asset' | 'fee_reserve' | 'top_up_fee_reserve'
>;

/** Maximum cost of a sweep and its gas top-up. */
const reserveOf = ({ fee_reserve, top_up_fee_reserve }: Held): Amount =>
  parseAmount(fee_reserve) + parseAmount(top_up_fee_reserve);

/**
 * Holds the network fees of a sweep in the wallet that it serves: the owner of a deposit address
 * pays for its sweep.
 * @throws LedgerError if the balance is too low; the caller must roll back
 */
export async function holdFees(trx: Trx, sweep: Held, at: string): Promise<void> {
  await move(
    trx,
    sweep,
    'consolidation_held',
    at,
    between(sweep, 'available', 'reserved', reserveOf(sweep)),
  );
}

/**
 * Holds more for the fee of a gas top-up.
 * @throws LedgerError if the balance is too low; the caller must roll back
 */
export async function holdMoreFees(trx: Trx, sweep: Held, more: Amount, at: string): Promise<void> {
  await move(trx, sweep, 'consolidation_held', at, between(sweep, 'available', 'reserved', more));
}

/** Books the fees that were paid and releases the rest. */
export async function settleFees(trx: Trx, sweep: Held, spent: Amount, at: string): Promise<void> {
  const { wallet_id: walletId, fee_asset: currency } = sweep;
  await move(trx, sweep, 'consolidation_fee', at, [
    { book: 'wallet', walletId, bucket: 'reserved', currency, amount: -spent },
    { book: 'chain', currency, amount: spent },
  ]);
  await move(
    trx,
    sweep,
    'consolidation_fee_returned',
    at,
    between(sweep, 'reserved', 'available', reserveOf(sweep) - spent),
  );
}

function between(
  { wallet_id: walletId, fee_asset: currency }: Held,
  from: Bucket,
  to: Bucket,
  amount: Amount,
): Line[] {
  return [
    { book: 'wallet', walletId, bucket: from, currency, amount: -amount },
    { book: 'wallet', walletId, bucket: to, currency, amount },
  ];
}

type Bucket = 'available' | 'reserved';

async function move(
  trx: Trx,
  { account_id: accountId, id: resourceId }: Held,
  reason: string,
  at: string,
  lines: Line[],
): Promise<void> {
  await post(trx, { accountId, reason, resourceId, at, lines });
}
