import { type OrderClaims, OrderTokenError, verifyOrderToken } from '@crypto-checkout/protocol/order-token';
import type { Order } from '@crypto-checkout/protocol/schema/order';
import type { Hmac } from '@crypto-checkout/protocol/signature';
import { Refusal, invalid } from '../http/refusal.ts';
import { type OnIgnored, nameOf, statedOrder } from './stated.ts';

export interface TokenOptions {
  orderSecret: string;
  hmac: Hmac;
  /** Milliseconds since the epoch, real time. */
  now: number;
  onIgnored: OnIgnored;
}

export interface TokenOrder {
  order: Order;
  /** Null while the token may open a new checkout; after that it only leads to one that exists. */
  expired: Refusal | null;
}

/**
 * The order that a shop's token states.
 * @throws Refusal 401 when it is not signed with our secret, 400 that names the claim for everything else
 */
export async function orderOfToken(token: string, { orderSecret, hmac, now, onIgnored }: TokenOptions): Promise<TokenOrder> {
  const { claims, expired, ignored } = await verifyOrderToken(token, orderSecret, { now, hmac }).catch((error: unknown) => {
    throw error instanceof OrderTokenError ? refusalOf(error) : error;
  });
  const { exp: _, ...stated } = claims;
  const order = statedOrder(stated, { where: WHERE, unknown: ignored, onIgnored });
  return { order, expired: expired ? expiredAt(claims, now) : null };
}

const WHERE = 'The order token';

/** 401 takes from the few failures that an address has: only what may be a guess is one. */
function refusalOf(error: OrderTokenError): Refusal {
  const { about, message } = error;
  const sentence = `${message[0]!.toUpperCase()}${message.slice(1)}`;
  if (about === 'token') return new Refusal(400, 'InvalidPayload', `${sentence}.`, { cause: error });
  if (about !== 'signature') return invalid(about, `${sentence}.`);
  const why = `${sentence}: it is signed with another secret than this server's ORDER_SECRET, or was changed.`;
  return new Refusal(401, 'InvalidApiKey', why, { cause: error });
}

const expiredAt = (claims: OrderClaims, now: number): Refusal =>
  invalid(
    'exp',
    `${WHERE}${nameOf({ ...claims })} expired at ${iso(claims.exp * 1000)}, and it is ${iso(now)}: the shop's server signs a new one for each page.`,
  );

const iso = (time: number): string => new Date(time).toISOString().replace('.000', '');
