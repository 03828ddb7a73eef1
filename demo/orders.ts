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
  status: z.enum(['open', 'seen', 'underpaid', 'paid', 'complete', 'late', 'reversed', 'expired']),
  network: z.string().nullable(),
  webhooks: z.array(z.object({ id: z.string(), event: z.string(), at: z.string() })),
});
export type Order = z.infer<typeof Order>;

const STATUS_OF: Record<string, Order['status']> = {
  'checkout.seen': 'seen',
  'checkout.underpaid': 'underpaid',
  'checkout.paid': 'paid',
  'checkout.complete': 'complete',
  'checkout.late': 'late',
  'checkout.reversed': 'reversed',
  'checkout.expired': 'expired',
};

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
    const status = STATUS_OF[body.event];
    if (status && !(order.status === 'complete' && status !== 'reversed')) order.status = status;
    order.network = body.network;
    this.#save();
    return true;
  }

  #save(): void {
    const next = `${this.#file}.next`;
    writeFileSync(next, JSON.stringify([...this.#orders.values()], null, 1));
    renameSync(next, this.#file);
  }
}
