import { parseAmount, type Amount } from '@crypto-checkout/protocol/amount';
import type { Trx } from '../database/database.ts';
import { leavesSweepFee, type UnsweptFunds } from '../sweep/unswept-funds.ts';
import type { Bucket } from '../database/tables/wallet.ts';
import { postExcessFee } from '../ledger/excess-fee.ts';
import { LedgerError, post, type Line } from '../ledger/post.ts';
import { requiredFunds } from './required-funds.ts';
import { availableIn, type PayoutRow } from './store.ts';

type Held = Pick<
  PayoutRow,
  'account_id' | 'id' | 'wallet_id' | 'asset' | 'fee_asset' | 'total' | 'fee_reserve'
>;

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
  await move(trx, payout, 'payout_held', at, [
    ...between(payout, 'available', 'reserved', payout.asset, parseAmount(payout.total)),
    ...between(payout, 'available', 'reserved', payout.fee_asset, parseAmount(payout.fee_reserve)),
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
  await move(
    trx,
    payout,
    'payout_held',
    at,
    between(payout, 'available', 'reserved', payout.fee_asset, more),
  );
}

/** Returns the amount and the fee reserve: nothing was sent, and nothing will be. */
export async function releaseFunds(trx: Trx, payout: Held, at: string): Promise<void> {
  await move(trx, payout, 'payout_released', at, [
    ...between(payout, 'reserved', 'available', payout.asset, parseAmount(payout.total)),
    ...between(payout, 'reserved', 'available', payout.fee_asset, parseAmount(payout.fee_reserve)),
  ]);
}

/**
 * The recipients were paid: the amount and the fee leave the books; the unused fee reserve returns.
 */
export async function spendFunds(trx: Trx, payout: Held, fee: Amount, at: string): Promise<void> {
  await move(
    trx,
    payout,
    'payout_complete',
    at,
    toChain(payout, payout.asset, parseAmount(payout.total)),
  );
  await spendFee(trx, payout, fee, at);
}

/** The transaction reverted: the amount returns, the fee is spent. */
export async function spendFeeOnly(trx: Trx, payout: Held, fee: Amount, at: string): Promise<void> {
  await move(
    trx,
    payout,
    'payout_released',
    at,
    between(payout, 'reserved', 'available', payout.asset, parseAmount(payout.total)),
  );
  await spendFee(trx, payout, fee, at);
}

const NETWORK_FEE = 'payout_network_fee';

async function spendFee(trx: Trx, payout: Held, fee: Amount, at: string): Promise<void> {
  const reserve = parseAmount(payout.fee_reserve);
  const spent = fee < reserve ? fee : reserve;
  await move(trx, payout, NETWORK_FEE, at, toChain(payout, payout.fee_asset, spent));
  await move(
    trx,
    payout,
    'payout_fee_returned',
    at,
    between(payout, 'reserved', 'available', payout.fee_asset, reserve - spent),
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

function between(
  { wallet_id: walletId }: Held,
  from: Bucket,
  to: Bucket,
  currency: string,
  amount: Amount,
): Line[] {
  return [
    { book: 'wallet', walletId, bucket: from, currency, amount: -amount },
    { book: 'wallet', walletId, bucket: to, currency, amount },
  ];
}

function toChain({ wallet_id: walletId }: Held, currency: string, amount: Amount): Line[] {
  return [
    { book: 'wallet', walletId, bucket: 'reserved', currency, amount: -amount },
    { book: 'chain', currency, amount },
  ];
}

async function move(
  trx: Trx,
  { account_id: accountId, id: resourceId }: Held,
  reason: string,
  at: string,
  lines: Line[],
): Promise<void> {
  await post(trx, { accountId, reason, resourceId, at, lines });
}
