import { createHmac } from 'node:crypto';

/** The signed terms of an order; the price never comes from the browser. */
export interface OrderClaims {
  order_id: string;
  /** Decimal string in `currency`. */
  amount: string;
  currency: string;
  /** Seconds since the epoch. */
  exp: number;
  description?: string;
  success_url?: string;
  shop_url?: string;
  kinds?: string[];
}

/**
 * Signs an order as a JWT (RFC 7519, HS256), with nothing but an HMAC: a shop in any language can
 * do the same.
 * @example orderToken({ order_id: 'A-1', amount: '18.50', currency: 'USD', exp }, orderSecret)
 */
export function orderToken(claims: OrderClaims, secret: string): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${head}.${createHmac('sha256', secret).update(head).digest('base64url')}`;
}
