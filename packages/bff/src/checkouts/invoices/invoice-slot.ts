import type { PaymentSource } from '@crypto-checkout/protocol/checkout';
import type { Attempt, CheckoutInvoice } from '../repository/record.ts';

/** A coin and the payment source of its quote. A checkout has one current invoice per slot. */
export interface InvoiceSlot {
  kind: string;
  quotedFor: PaymentSource;
}

export const slotOf = ({
  kind,
  quoted_for,
}: Pick<CheckoutInvoice, 'kind' | 'quoted_for'>): InvoiceSlot => ({
  kind,
  quotedFor: quoted_for,
});

export const isFor = (attempt: Attempt, slot: InvoiceSlot): boolean =>
  attempt.kind === slot.kind && attempt.quoted_for === slot.quotedFor;
