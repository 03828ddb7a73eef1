import {
  type AddressProof,
  type SignedPayment,
  addressProofText,
} from '@crypto-checkout/protocol/address-proof';
import type { Checkout, CheckoutPayment } from '@crypto-checkout/protocol/checkout';
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
  const { invoice_id, kind, proof, lightning_proof, signed_terms: terms } = payment;
  const { target, beside } = targetsOf(payment);
  const tag = payment.tag ?? null;
  if (!proof || !terms) throw new Error('no proof');
  if (given && !asksForOrder(terms, given)) throw new Error('the proof of another order');
  if (host.invoice && plainId(host.invoice) !== plainId(invoice_id))
    throw new Error('the proof of another invoice');
  const { network } = view;
  const shared = {
    invoiceId: invoice_id,
    orderId: terms.order_id,
    requested: { amount: terms.amount, currency: terms.currency },
    network,
    invoiced: terms.invoiced,
    expiresAt: terms.expires_at,
  };
  await requireSigned(keys, proof, { ...shared, kind, target, tag });
  if (beside !== null)
    await requireSigned(keys, lightning_proof, {
      ...shared,
      kind: 'BTC_LIGHTNING',
      target: beside,
      tag: null,
    });
  const proven = rebuild(payment, { kind, network, target, beside, tag, terms });
  return { ...shown, payment: proven, expires_at: proven.expires_at };
}

/** The address, or the request where there is no address; a request beside an address is apart. */
function targetsOf({ address, lightning }: CheckoutPayment): {
  target: string;
  beside: string | null;
} {
  const request = lightning?.payment_request ?? lightning?.lnurl ?? null;
  return address ? { target: address, beside: request } : { target: request ?? '', beside: null };
}

async function requireSigned(
  keys: Uint8Array<ArrayBuffer>[],
  proof: AddressProof | null | undefined,
  payment: SignedPayment,
): Promise<void> {
  const text = addressProofText(payment);
  if (text === null || !(await isSigned(keys, proof?.signature, text)))
    throw new Error(`no key of proof-key made the signature, which names the key ${proof?.kid}`);
}

/** An invoice's id has a form without dashes, in capitals. */
const plainId = (id: string): string => id.replaceAll('-', '').toLowerCase();
