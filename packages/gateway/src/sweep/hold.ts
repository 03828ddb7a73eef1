import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { Trx } from '../database/database.ts';
import { postExcessFee } from '../ledger/excess-fee.ts';
import { between, postHeld, toChain } from '../ledger/held.ts';
import type { Line } from '../ledger/post.ts';
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
  await postHeld(trx, sweep, 'consolidation_held', at, hold(sweep, reserveOf(sweep)));
}

/**
 * Holds more for the fee of a gas top-up.
 * @throws LedgerError if the balance is too low; the caller must roll back
 */
export async function holdMoreFees(trx: Trx, sweep: Held, more: Amount, at: string): Promise<void> {
  await postHeld(trx, sweep, 'consolidation_held', at, hold(sweep, more));
}

const NETWORK_FEE = 'consolidation_fee';

/** Books the fees that were paid and releases the rest. */
export async function settleFees(trx: Trx, sweep: Held, fee: Amount, at: string): Promise<void> {
  const { wallet_id: walletId, fee_asset: currency } = sweep;
  const reserve = reserveOf(sweep);
  const spent = fee < reserve ? fee : reserve;
  await postHeld(trx, sweep, NETWORK_FEE, at, toChain(walletId, { currency, amount: spent }));
  await postHeld(
    trx,
    sweep,
    'consolidation_fee_returned',
    at,
    between(walletId, 'reserved', 'available', { currency, amount: reserve - spent }),
  );
  const { account_id: accountId, id: resourceId } = sweep;
  const excess = { accountId, walletId, currency, resourceId, reason: NETWORK_FEE };
  await postExcessFee(trx, { ...excess, amount: fee - spent }, at);
}

const hold = ({ wallet_id, fee_asset: currency }: Held, amount: Amount): Line[] =>
  between(wallet_id, 'available', 'reserved', { currency, amount });
