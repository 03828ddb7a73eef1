import type {
  CheckoutRepository,
  LoadedCheckout,
} from '../checkouts/repository/checkout-repository.ts';
import { HttpError } from '../http/http-error.ts';
import { tooMany } from '../http/rate-limits.ts';
import { randomId } from '../orders/ids.ts';
import { RateLimiter } from '@crypto-checkout/protocol/rate-limiter';
import type { Hmac } from '@crypto-checkout/protocol/signature';
import { toBase64Url } from '@crypto-checkout/protocol/bytes';

/** Receipts of one order that are sent by e-mail. */
export const MAX_RECEIPTS = 3;
/** At once, and again in a day: together at most ten in any 24 hours. */
const PER_ADDRESS = 5;
const DAY_S = 24 * 3600;

export interface ReceiptLimits {
  /** Counts one e-mail. @throws HttpError 429 if the order or the address had too many */
  take(checkout: LoadedCheckout, address: string): Promise<void>;
  /** Takes back an e-mail that was certainly not sent. */
  giveBack(checkout: LoadedCheckout, address: string): Promise<void>;
}

/**
 * Limits of receipts by e-mail. Addresses are counted in memory by a keyed hash: the key is lost
 * with the process, and nothing of an address is stored.
 */
export function createReceiptLimits({
  repository,
  hmac,
  steady,
}: {
  repository: CheckoutRepository;
  hmac: Hmac;
  steady: () => number;
}): ReceiptLimits {
  const addresses = new RateLimiter({ perSecond: PER_ADDRESS / DAY_S, burst: PER_ADDRESS });
  const key = randomId();
  const nameOf = async (address: string): Promise<string> =>
    toBase64Url(await hmac(key, address.toLowerCase()));
  return {
    async take(checkout, address) {
      // An order without a receipt left must not use up what an address may get.
      if (isFull(checkout.record)) throw tooManyReceipts();
      const name = await nameOf(address);
      const wait = addresses.take(name, steady());
      if (wait > 0) throw tooMany(wait);
      let isTaken = false;
      await repository.update(checkout, (record) => {
        isTaken = !isFull(record);
        return isTaken ? { ...record, receipts_mailed: record.receipts_mailed + 1 } : record;
      });
      if (isTaken) return;
      addresses.giveBack(name);
      throw tooManyReceipts();
    },

    async giveBack(checkout, address) {
      addresses.giveBack(await nameOf(address));
      await repository.update(checkout, (record) => ({
        ...record,
        receipts_mailed: Math.max(0, record.receipts_mailed - 1),
      }));
    },
  };
}

const isFull = ({ receipts_mailed }: LoadedCheckout['record']): boolean =>
  receipts_mailed >= MAX_RECEIPTS;

const tooManyReceipts = (): HttpError =>
  new HttpError(
    429,
    'RateLimited',
    `The receipt of this order was sent ${MAX_RECEIPTS} times; save the page instead.`,
  );
