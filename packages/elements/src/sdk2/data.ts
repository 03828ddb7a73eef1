import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { hasRunOut } from '../core/run-out.ts';

/** Data for handlers. */
export interface SdkData {
  payment: {
    /** The invoice's id; null before a coin is chosen. */
    id: string | null;
    /**
     * The invoice's status in the HTTP interface: `new`, `pending`, `paid`, `complete` or
     * `expired`.
     */
    status: string;
    /**
     * Progress of the payment: `waiting`, `incomplete`, `processing`, `paid`, `expired` or
     * `failed`.
     */
    payment_status: string;
    is_expired: boolean;
  };
  /** As a string, also if an object was passed. */
  passthrough: string | null;
}

/** Invoice status and payment status of each stage. */
const STATUSES: Readonly<Record<string, readonly [status: string, paymentStatus: string]>> = {
  choose: ['new', 'waiting'],
  pay: ['new', 'waiting'],
  underpaid: ['pending', 'incomplete'],
  seen: ['pending', 'processing'],
  held: ['pending', 'processing'],
  failed: ['new', 'failed'],
  paid: ['paid', 'paid'],
  complete: ['complete', 'paid'],
  expired: ['expired', 'expired'],
  late: ['expired', 'incomplete'],
};

/** A checkout in the format of the old script. */
export function sdkData(checkout: Checkout | null, passthrough: string | null): SdkData {
  const { stage = 'choose', payment } = checkout ?? {};
  const [status, paymentStatus] = STATUSES[stage] ?? ['pending', 'processing'];
  const ranOut = status === 'new' && checkout !== null && hasRunOut(checkout);
  return {
    payment: {
      id: payment?.invoice_id ?? null,
      status,
      payment_status: paymentStatus,
      is_expired: status === 'expired' || ranOut,
    },
    passthrough,
  };
}

/** Whether a part of the amount has arrived, or came late. */
export const isIncomplete = (checkout: Checkout | null): boolean =>
  ['underpaid', 'late'].includes(checkout?.stage ?? '') ||
  (checkout?.stage === 'expired' &&
    checkout.payment !== null &&
    /[1-9]/.test(checkout.payment.paid));
