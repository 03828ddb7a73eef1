import { parseAmount } from '@crypto-checkout/protocol/amount';
import type { SendRequest } from '@crypto-checkout/chains/sender';
import type { Context } from '../../context.ts';
import { findOutgoing } from '../../engine/sending/outgoing-store.ts';
import { isRequestOpen, resolveLightning } from '../lightning.ts';
import { saveRequest, type PayoutView } from '../store.ts';

/**
 * Builds the transfer of a payout.
 * @returns null if the lightning request expired and cannot be renewed
 */
export async function requestOf(context: Context, payout: PayoutView) {
  const recipients = [...payout.recipients];
  const [first] = recipients;
  const isPlanned = (await findOutgoing(context.db, payout.id)) !== null;
  if (
    first?.payment_request &&
    !isPlanned &&
    !isRequestOpen(first.payment_request, context.clock.now())
  ) {
    if (first.lnurl === null) return null;
    recipients[0] = await renewRequest(context, payout, first);
  }
  return { ...transferOf({ ...payout, recipients }), feeReserve: parseAmount(payout.fee_reserve) };
}

/** The transfer of a payout as it is stored. */
export function transferOf(payout: PayoutView): SendRequest {
  return {
    asset: payout.asset,
    outputs: payout.recipients.map(({ address, tag, memo, amount, payment_request }) => ({
      address,
      tag,
      memo,
      amount: parseAmount(amount),
      paymentRequest: payment_request,
    })),
    preset: payout.network_fee_preset,
    feeRate: payout.network_fee,
  };
}

/** The payout waited longer than the request is valid; no transaction uses the old request. */
async function renewRequest(
  context: Context,
  payout: PayoutView,
  recipient: PayoutView['recipients'][number],
) {
  const network = payout.is_testnet ? 'testnet' : 'mainnet';
  const amount = parseAmount(recipient.amount);
  const target = await resolveLightning(context, {
    text: recipient.lnurl!,
    field: 'recipients.0',
    network,
    amount,
  });
  await saveRequest(
    context.db,
    payout.id,
    recipient.number,
    target.paymentHash,
    target.paymentRequest,
  );
  return { ...recipient, address: target.paymentHash, payment_request: target.paymentRequest };
}
