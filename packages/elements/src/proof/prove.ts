import { addressProofText } from '@crypto-checkout/protocol/address-proof';
import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { CheckoutHost } from '../core/contracts.ts';
import { type Failure, failure } from '../server/checkout-server.ts';
import { asksForOrder, orderOf, showsOrder } from './order.ts';
import { rebuild } from './payment.ts';
import { isSigned, keysOf } from './verify.ts';

type Pinned = Pick<CheckoutHost, 'proofKey' | 'order' | 'invoice' | 'mode'>;

/**
 * The view with a payment that consists of proven values. A view without a payment only has to fit
 * the order.
 * @throws Failure `tampered` for a view without a valid proof; `setup` for an element that can have
 * none
 */
export async function prove(host: Pinned, view: Checkout): Promise<Checkout> {
  if (host.mode && host.mode !== 'inline')
    throw failure('setup', 'proof-key: only mode="inline" can check a proof');
  const keys = keysOf(host.proofKey ?? '');
  try {
    return await provenView(host, view, keys);
  } catch (error) {
    if ((error as Failure).code) throw error;
    throw failure('tampered', `the server's answer has no valid address proof: ${String(error)}`);
  }
}

async function provenView(
  host: Pinned,
  view: Checkout,
  keys: Uint8Array<ArrayBuffer>[],
): Promise<Checkout> {
  const given = host.order ? orderOf(host.order) : null;
  if (host.order && !(given && showsOrder(view, given))) throw new Error('another order');
  // A third party's page would get the address from the server.
  const shown = { ...view, onramp: null };
  const { payment } = view;
  if (!payment) return shown;
  const { invoice_id, kind, proof, signed_terms: terms } = payment;
  const tag = payment.tag ?? null;
  const lightning = payment.lightning;
  const target = payment.address ?? lightning?.payment_request ?? lightning?.lnurl ?? '';
  if (!proof || !terms) throw new Error('no proof');
  if (given && !asksForOrder(terms, given)) throw new Error('the proof of another order');
  if (host.invoice && plainId(host.invoice) !== plainId(invoice_id))
    throw new Error('the proof of another invoice');
  const text = addressProofText({
    invoiceId: invoice_id,
    orderId: terms.order_id,
    requested: { amount: terms.amount, currency: terms.currency },
    kind,
    network: view.network,
    target,
    tag,
    invoiced: terms.invoiced,
    expiresAt: terms.expires_at,
  });
  if (text === null || !(await isSigned(keys, proof.signature, text)))
    throw new Error('the signature is not valid');
  const proven = rebuild(payment, { kind, network: view.network, target, tag, terms });
  return { ...shown, payment: proven, expires_at: proven.expires_at };
}

/** An invoice's id has a form without dashes, in capitals. */
const plainId = (id: string): string => id.replaceAll('-', '').toLowerCase();
