import { hex } from '@scure/base';
import { ldk, okOf, someOf, type LdkNode } from './ldk-node.ts';

/** An invoice as LND keeps it. */
export interface BookedInvoice {
  hash: string;
  request: string;
  memo: string;
  descriptionHash: string | null;
  msat: bigint;
  createdAt: number;
  expiry: number;
  state: 'OPEN' | 'ACCEPTED' | 'SETTLED' | 'CANCELED';
  addIndex: number;
  settleIndex: number;
  settledAt: number;
  paidMsat: bigint;
  preimage: string | null;
}

/** A payment as LND keeps it. */
export interface BookedPayment {
  hash: string;
  request: string;
  msat: bigint;
  createdAt: number;
  index: number;
  status: 'IN_FLIGHT' | 'SUCCEEDED' | 'FAILED';
  preimage: string | null;
  feeMsat: bigint;
  reason: string;
  /** Resolves with its final status. */
  ended: Promise<void>;
  end: () => void;
}

export interface NewInvoice {
  memo: string;
  msat: bigint;
  expiry: number;
  descriptionHash: string | null;
}

export interface NewPayment {
  request: string;
  msat: bigint | null;
  feeLimitMsat: bigint;
}

/** An error as LND answers it. */
export class LndRefusal extends Error {
  readonly code: number;
  readonly status: number;

  constructor(code: number, status: number, message: string) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

const UNKNOWN = 2;
const ALREADY_EXISTS = 6;
const NOT_FOUND = 5;

/** LND's lists of invoices and payments, in front of a real node that makes and pays them. */
export class LndBook {
  readonly node: LdkNode;
  readonly invoices = new Map<string, BookedInvoice>();
  readonly payments = new Map<string, BookedPayment>();
  /** Called with each invoice that changed. */
  readonly watchers = new Set<(invoice: BookedInvoice) => void>();
  /** Payments that arrive are kept, and not settled. */
  holds = false;
  /** Requests to pay that reached the node. */
  sends = 0;
  #adds = 0;
  #settles = 0;

  constructor(node: LdkNode) {
    this.node = node;
    node.onEvent((event) => this.#handle(event));
  }

  addInvoice({ memo, msat, expiry, descriptionHash }: NewInvoice): BookedInvoice {
    const made = okOf<ldk.Bolt11Invoice>(
      this.node.manager.create_bolt11_invoice(
        msat === 0n ? ldk.Option_u64Z.constructor_none() : ldk.Option_u64Z.constructor_some(msat),
        descriptionHash === null
          ? ldk.Bolt11InvoiceDescription.constructor_direct(
              okOf<ldk.Description>(ldk.Description.constructor_new(memo)),
            )
          : ldk.Bolt11InvoiceDescription.constructor_hash(
              ldk.Sha256.constructor_from_bytes(hex.decode(descriptionHash)),
            ),
        ldk.Option_u32Z.constructor_some(expiry),
        ldk.Option_u16Z.constructor_none(),
        ldk.Option_ThirtyTwoBytesZ.constructor_none(),
      ),
    );
    const invoice: BookedInvoice = {
      hash: hex.encode(made.payment_hash()),
      request: made.to_str(),
      memo,
      descriptionHash,
      msat,
      createdAt: seconds(),
      expiry,
      state: 'OPEN',
      addIndex: (this.#adds += 1),
      settleIndex: 0,
      settledAt: 0,
      paidMsat: 0n,
      preimage: null,
    };
    this.invoices.set(invoice.hash, invoice);
    this.#announce(invoice);
    return invoice;
  }

  cancel(hash: string): void {
    const invoice = this.invoices.get(hash);
    if (invoice === undefined) throw new LndRefusal(NOT_FOUND, 404, 'unable to locate invoice');
    if (invoice.state === 'SETTLED') throw new LndRefusal(UNKNOWN, 500, 'invoice already settled');
    if (invoice.state === 'ACCEPTED') this.#refuse(hash);
    invoice.state = 'CANCELED';
    this.#announce(invoice);
  }

  /** Settles the payments that were kept. */
  release(): void {
    for (const { state, preimage } of this.invoices.values())
      if (state === 'ACCEPTED') this.node.manager.claim_funds(hex.decode(preimage!));
    this.node.work();
  }

  /** The node is restored from its seed: its channels are there, its lists are gone. */
  forget(): void {
    this.invoices.clear();
    this.payments.clear();
    this.#adds = 0;
    this.#settles = 0;
  }

  /** @throws LndRefusal before anything is sent */
  pay({ request, msat, feeLimitMsat }: NewPayment): BookedPayment {
    this.sends += 1;
    const parsed = ldk.Bolt11Invoice.constructor_from_str(request);
    if (!parsed.is_ok()) throw new LndRefusal(UNKNOWN, 500, 'invalid payment request');
    const invoice = okOf<ldk.Bolt11Invoice>(parsed);
    const hash = hex.encode(invoice.payment_hash());
    const known = this.payments.get(hash);
    if (known?.status === 'SUCCEEDED')
      throw new LndRefusal(ALREADY_EXISTS, 409, 'invoice is already paid');
    if (known?.status === 'IN_FLIGHT')
      throw new LndRefusal(ALREADY_EXISTS, 409, 'payment is in transition');
    if (invoice.would_expire(BigInt(seconds())))
      throw new LndRefusal(UNKNOWN, 500, 'invoice expired. Valid until then');
    return this.#send(invoice, hash, { request, msat, feeLimitMsat });
  }

  #send(
    invoice: ldk.Bolt11Invoice,
    hash: string,
    { request, msat, feeLimitMsat }: NewPayment,
  ): BookedPayment {
    const stated = someOf<bigint>(invoice.amount_milli_satoshis());
    let end = (): void => {};
    const ended = new Promise<void>((resolve) => (end = resolve));
    const payment: BookedPayment = {
      hash,
      request,
      msat: stated ?? msat ?? 0n,
      createdAt: seconds(),
      index: this.payments.size + 1,
      status: 'IN_FLIGHT',
      preimage: null,
      feeMsat: 0n,
      reason: 'FAILURE_REASON_NONE',
      ended,
      end,
    };
    this.payments.set(hash, payment);
    const parameters = paymentParameters(invoice, stated === undefined ? payment.msat : null);
    parameters.route.set_max_total_routing_fee_msat(ldk.Option_u64Z.constructor_some(feeLimitMsat));
    const { manager } = this.node;
    const sent = manager.send_payment(
      invoice.payment_hash(),
      parameters.onion,
      hex.decode(hash),
      parameters.route,
      ldk.Retry.constructor_attempts(3),
    );
    this.node.work();
    if (!sent.is_ok()) this.#endPayment(hash, { status: 'FAILED', reason: NO_ROUTE });
    return payment;
  }

  #handle(event: ldk.Event): void {
    if (event instanceof ldk.Event_PaymentClaimable) return this.#arrive(event);
    if (event instanceof ldk.Event_PaymentClaimed) return this.#settle(event);
    if (event instanceof ldk.Event_PaymentSent)
      return this.#endPayment(hex.encode(event.payment_hash), {
        status: 'SUCCEEDED',
        preimage: hex.encode(event.payment_preimage),
        feeMsat: someOf<bigint>(event.fee_paid_msat) ?? 0n,
      });
    if (event instanceof ldk.Event_PaymentFailed) {
      const hash = hex.encode(someOf<Uint8Array>(event.payment_hash) ?? event.payment_id);
      this.#endPayment(hash, { status: 'FAILED', reason: NO_ROUTE });
    }
  }

  /** As LND: once, in time, and in full, or not at all. */
  #arrive(event: ldk.Event_PaymentClaimable): void {
    const hash = hex.encode(event.payment_hash);
    const invoice = this.invoices.get(hash);
    const isTaken =
      invoice?.state === 'OPEN' &&
      event.amount_msat >= invoice.msat &&
      seconds() <= invoice.createdAt + invoice.expiry;
    if (!isTaken) return this.#refuse(hash);
    const { purpose } = event as unknown as { purpose: { preimage(): object } };
    const preimage = someOf<Uint8Array>(purpose.preimage())!;
    invoice.state = 'ACCEPTED';
    invoice.preimage = hex.encode(preimage);
    this.#announce(invoice);
    if (!this.holds) this.node.manager.claim_funds(preimage);
  }

  #settle(event: ldk.Event_PaymentClaimed): void {
    const invoice = this.invoices.get(hex.encode(event.payment_hash));
    if (invoice === undefined) return;
    invoice.state = 'SETTLED';
    invoice.paidMsat = event.amount_msat;
    invoice.settleIndex = this.#settles += 1;
    invoice.settledAt = seconds();
    this.#announce(invoice);
  }

  #refuse(hash: string): void {
    this.node.manager.fail_htlc_backwards(hex.decode(hash));
  }

  #endPayment(hash: string, outcome: Partial<BookedPayment>): void {
    const payment = this.payments.get(hash);
    if (payment?.status !== 'IN_FLIGHT') return;
    Object.assign(payment, outcome);
    payment.end();
  }

  #announce(invoice: BookedInvoice): void {
    for (const watcher of this.watchers) watcher(invoice);
  }
}

const NO_ROUTE = 'FAILURE_REASON_NO_ROUTE';
const seconds = (): number => Math.floor(Date.now() / 1_000);

export interface PaymentParameters {
  onion: ldk.RecipientOnionFields;
  route: ldk.RouteParameters;
}

/** @param msat the amount of a request without one */
export function paymentParameters(
  invoice: ldk.Bolt11Invoice,
  msat: bigint | null,
): PaymentParameters {
  const { UtilMethods } = ldk;
  const made = okOf<ldk.ThreeTuple_ThirtyTwoBytesRecipientOnionFieldsRouteParametersZ>(
    msat === null
      ? UtilMethods.constructor_payment_parameters_from_invoice(invoice)
      : UtilMethods.constructor_payment_parameters_from_variable_amount_invoice(invoice, msat),
  );
  return { onion: made.get_b(), route: made.get_c() };
}
