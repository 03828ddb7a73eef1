import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Product } from './products.ts';

const Order = z.object({
  id: z.string(),
  product: z.string(),
  description: z.string(),
  amount: z.string(),
  currency: z.string(),
  status: z.enum([
    'open',
    'seen',
    'underpaid',
    'wrong_coin',
    'paid',
    'complete',
    'late',
    'reversed',
    'expired',
    'refund_requested',
    'refunded',
  ]),
  network: z.string().nullable(),
  /** Id of the checkout of the newest webhook. */
  checkout: z.string().nullable().default(null),
  webhooks: z.array(z.object({ id: z.string(), event: z.string(), at: z.string() })),
});
export type Order = z.infer<typeof Order>;

const STATUS_OF: Record<string, Order['status']> = {
  'checkout.seen': 'seen',
  'checkout.underpaid': 'underpaid',
  'checkout.wrong_coin': 'wrong_coin',
  'checkout.paid': 'paid',
  'checkout.complete': 'complete',
  'checkout.late': 'late',
  'checkout.reversed': 'reversed',
  'checkout.expired': 'expired',
  'checkout.refund_requested': 'refund_requested',
  'checkout.refunded': 'refunded',
};

/** They concern money that does not pay the order: a paid order stays paid. */
const BESIDE: readonly string[] = ['wrong_coin', 'refund_requested', 'refunded'];

/** A payment of a part is seen, too: the stage says so. */
function statusOf({ event, stage }: { event: string; stage: string }): Order['status'] | undefined {
  const status = STATUS_OF[event];
  return status === 'seen' && stage === 'underpaid' ? 'underpaid' : status;
}

function isReplacedBy(before: Order['status'], next: Order['status']): boolean {
  if (before === 'complete') return next === 'reversed';
  return !(before === 'paid' && BESIDE.includes(next));
}

/** The shop's orders, in one file that is replaced atomically. Only a webhook marks one as paid. */
export class Orders {
  readonly #file: string;
  readonly #orders: Map<string, Order>;

  constructor(dataDir: string) {
    mkdirSync(dataDir, { recursive: true });
    this.#file = join(dataDir, 'shop-orders.json');
    const stored = existsSync(this.#file)
      ? z.array(Order).parse(JSON.parse(readFileSync(this.#file, 'utf8')))
      : [];
    this.#orders = new Map(stored.map((order) => [order.id, order]));
  }

  get(id: string): Order | undefined {
    return this.#orders.get(id);
  }

  create(product: Product): Order {
    const order: Order = {
      id: `A-${randomBytes(6).toString('hex')}`,
      product: product.id,
      description: product.name,
      amount: product.amount,
      currency: product.currency,
      status: 'open',
      network: null,
      checkout: null,
      webhooks: [],
    };
    this.#orders.set(order.id, order);
    this.#save();
    return order;
  }

  /**
   * Applies one verified webhook. A repetition changes nothing; an amount or currency that differs
   * from the order is refused.
   */
  apply(
    webhookId: string,
    body: {
      event: string;
      stage: string;
      checkout_id: string;
      order_id: string;
      amount: string;
      currency: string;
      network: string;
      unverified_price?: boolean | undefined;
    },
  ): boolean {
    const order = this.#orders.get(body.order_id);
    if (
      !order ||
      order.amount !== body.amount ||
      order.currency !== body.currency ||
      body.unverified_price
    )
      return false;
    if (order.webhooks.some(({ id }) => id === webhookId)) return true;
    order.webhooks.push({ id: webhookId, event: body.event, at: new Date().toISOString() });
    const status = statusOf(body);
    if (status && isReplacedBy(order.status, status)) order.status = status;
    order.network = body.network;
    order.checkout = body.checkout_id;
    this.#save();
    return true;
  }

  #save(): void {
    const next = `${this.#file}.next`;
    writeFileSync(next, JSON.stringify([...this.#orders.values()], null, 1));
    renameSync(next, this.#file);
  }
}
