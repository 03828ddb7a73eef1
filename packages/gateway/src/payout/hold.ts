import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { Trx } from '../database/database.ts';
import { leavesSweepFee, type UnsweptFunds } from '../sweep/unswept-funds.ts';
import { forgetOwedFee, postExcessFee } from '../ledger/excess-fee.ts';
import { between, fromChain, postHeld, toChain } from '../ledger/held.ts';
import { LedgerError, type Line } from '../ledger/post.ts';
import { requiredFunds } from './required-funds.ts';
import { availableIn, type PayoutRow } from './store.ts';

type Held = Pick<
  PayoutRow,
  'account_id' | 'id' | 'wallet_id' | 'asset' | 'fee_asset' | 'total' | 'fee_reserve'
>;

/** A payout that failed in a block, or never was in one. */
type Spent = Pick<PayoutRow, 'block_height' | 'fee'>;

/**
 * Moves the amount and the maximum fee from `available` to `reserved`.
 * @param unswept funds on deposit addresses: their sweep fees must stay available, or the payout
 * could never be sent
 * @throws LedgerError if the balance is too low; the caller must roll back
 */
export async function holdFunds(
  trx: Trx,
  payout: Held,
  at: string,
  unswept: UnsweptFunds,
): Promise<void> {
  await postHeld(trx, payout, 'payout_held', at, [
    ...hold(payout, payout.asset, parseAmount(payout.total)),
    ...hold(payout, payout.fee_asset, parseAmount(payout.fee_reserve)),
  ]);
  if (unswept.sweepFee === 0n) return;
  const available = await availableIn(trx, payout.account_id, payout.wallet_id);
  const left = new Map(
    [...requiredFunds(payout).keys()].map((asset) => [
      asset,
      parseAmount(available.get(asset) ?? '0'),
    ]),
  );
  if (!leavesSweepFee(unswept, left))
    throw new LedgerError(`Wallet ${payout.wallet_id} would lack the network fees of its sweeps`);
}

/**
 * Holds more for the fee of a payout that holds its funds already.
 * @throws LedgerError if the balance is too low; the caller must roll back
 */
export async function holdMore(trx: Trx, payout: Held, more: Amount, at: string): Promise<void> {
  await postHeld(trx, payout, 'payout_held', at, hold(payout, payout.fee_asset, more));
}

/** Returns the amount and the fee reserve: nothing was sent, and nothing will be. */
export async function releaseFunds(trx: Trx, payout: Held, at: string): Promise<void> {
  await postHeld(trx, payout, 'payout_released', at, [
    ...release(payout, payout.asset, parseAmount(payout.total)),
    ...release(payout, payout.fee_asset, parseAmount(payout.fee_reserve)),
  ]);
}

/**
 * The recipients were paid: the amount and the fee leave the books; the unused fee reserve returns.
 */
export async function spendFunds(trx: Trx, payout: Held, fee: Amount, at: string): Promise<void> {
  await postHeld(
    trx,
    payout,
    'payout_complete',
    at,
    leave(payout, payout.asset, parseAmount(payout.total)),
  );
  await spendFee(trx, payout, fee, at);
}

/** The transaction reverted: the amount returns, the fee is spent. */
export async function spendFeeOnly(trx: Trx, payout: Held, fee: Amount, at: string): Promise<void> {
  await postHeld(
    trx,
    payout,
    'payout_released',
    at,
    release(payout, payout.asset, parseAmount(payout.total)),
  );
  await spendFee(trx, payout, fee, at);
}

/**
 * The chain took back the block in which the transaction had no effect: the fee that
 * `spendFeeOnly` posted returns. Only the fee of the block that pays counts.
 */
export async function returnFee(trx: Trx, payout: Held & Spent, at: string): Promise<void> {
  if (payout.block_height === null) return;
  const posted = parseAmount(payout.fee) - (await forgetOwedFee(trx, payout.id));
  await postHeld(
    trx,
    payout,
    'payout_network_fee_returned',
    at,
    fromChain(payout.wallet_id, { currency: payout.fee_asset, amount: posted }),
  );
}

const NETWORK_FEE = 'payout_network_fee';

async function spendFee(trx: Trx, payout: Held, fee: Amount, at: string): Promise<void> {
  const reserve = parseAmount(payout.fee_reserve);
  const spent = fee < reserve ? fee : reserve;
  await postHeld(trx, payout, NETWORK_FEE, at, leave(payout, payout.fee_asset, spent));
  await postHeld(
    trx,
    payout,
    'payout_fee_returned',
    at,
    release(payout, payout.fee_asset, reserve - spent),
  );
  const excess = {
    accountId: payout.account_id,
    walletId: payout.wallet_id,
    currency: payout.fee_asset,
    resourceId: payout.id,
    reason: NETWORK_FEE,
    amount: fee - spent,
  };
  await postExcessFee(trx, excess, at);
}

const hold = ({ wallet_id }: Held, currency: string, amount: Amount): Line[] =>
  between(wallet_id, 'available', 'reserved', { currency, amount });

const release = ({ wallet_id }: Held, currency: string, amount: Amount): Line[] =>
  between(wallet_id, 'reserved', 'available', { currency, amount });

const leave = ({ wallet_id }: Held, currency: string, amount: Amount): Line[] =>
  toChain(wallet_id, { currency, amount });
