import {
  type OrderClaims,
  OrderTokenError,
  verifyOrderToken,
} from '@crypto-checkout/protocol/order-token';
import type { Order } from '@crypto-checkout/protocol/schema/order';
import type { Hmac } from '@crypto-checkout/protocol/signature';
import { HttpError, invalid } from '../http/http-error.ts';
import { type OnIgnoredMembers, orderLabel, validateOrder } from './validate-order.ts';

export interface TokenOptions {
  orderSecret: string;
  hmac: Hmac;
  /** Own clock, milliseconds since the epoch. */
  now: number;
  onIgnoredMembers: OnIgnoredMembers;
}

export interface TokenOrder {
  order: Order;
  /** Null for a valid token. An expired one only leads to an existing checkout. */
  expired: HttpError | null;
}

/**
 * Verifies an order token and returns its order.
 * @throws HttpError 401 for a wrong signature, 400 with the claim's name for all other mistakes
 */
export async function orderFromToken(
  token: string,
  { orderSecret, hmac, now, onIgnoredMembers: onIgnored }: TokenOptions,
): Promise<TokenOrder> {
  const { claims, expired, ignored } = await verifyOrderToken(token, orderSecret, {
    now,
    hmac,
  }).catch((error: unknown) => {
    throw error instanceof OrderTokenError ? tokenError(error) : error;
  });
  const { exp: _, ...stated } = claims;
  const order = validateOrder(stated, {
    where: WHERE,
    unknown: ignored,
    onIgnoredMembers: onIgnored,
  });
  return { order, expired: expired ? expiredAt(claims, now) : null };
}

const WHERE = 'The order token';

/** 401 counts against the failure limit of the address, so it is only for what may be a guess. */
function tokenError(error: OrderTokenError): HttpError {
  const { about, message } = error;
  const text = `${message[0]!.toUpperCase()}${message.slice(1)}`;
  if (about === 'token') return new HttpError(400, 'InvalidPayload', `${text}.`, { cause: error });
  if (about === 'signature_form')
    return new HttpError(401, 'InvalidApiKey', `${text}.`, { cause: error });
  if (about !== 'signature') return invalid(about, `${text}.`);
  const why = `${text}: it is signed with another secret than this server's ORDER_SECRET, or was changed.`;
  return new HttpError(401, 'InvalidApiKey', why, { cause: error });
}

const expiredAt = (claims: OrderClaims, now: number): HttpError =>
  invalid(
    'exp',
    `${WHERE}${orderLabel({ ...claims })} expired at ${iso(claims.exp * 1000)}, and it is ${iso(now)}: the shop's server signs a new one for each page.`,
  );

const iso = (time: number): string => new Date(time).toISOString().replace('.000', '');
