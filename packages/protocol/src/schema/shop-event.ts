import { z } from 'zod';
import type { ShopEvent, ShopEventName } from '../wire/shop-event.ts';

const payment = z.object({
  transaction_id: z.string(),
  txid: z.string(),
  kind: z.string(),
  amount: z.string(),
});

const refund = z.object({
  id: z.string(),
  transaction: z.string(),
  kind: z.string(),
  amount: z.string(),
  address: z.string(),
  is_proven: z.boolean(),
  txid: z.string().nullable(),
});

/**
 * The body of the shop's webhook, for shops that parse it themselves. It accepts the events of
 * later versions, and leaves out their members. It proves nothing: verify the signature first.
 */
export const shopEvent = z.object({
  event: z.custom<ShopEventName>((name) => typeof name === 'string' && name !== ''),
  checkout_id: z.string(),
  order_id: z.string().nullable(),
  amount: z.string().nullable(),
  currency: z.string().nullable(),
  network: z.string(),
  stage: z.string(),
  notes: z.array(z.string()),
  invoice_id: z.string(),
  kind: z.string(),
  paid: z.string(),
  excess: z.exactOptional(z.string()),
  payment: z.exactOptional(payment),
  unverified_price: z.exactOptional(z.literal(true)),
  refund: z.exactOptional(refund),
  passthrough: z.exactOptional(z.string()),
}) satisfies z.ZodType<ShopEvent>;
