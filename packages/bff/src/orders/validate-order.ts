import { describeMistake } from '@crypto-checkout/protocol/order-token';
import { closestName } from '@crypto-checkout/protocol/spelling';
import { type Order, order } from '@crypto-checkout/protocol/schema/order';
import { issueMessage, valueAt } from '../http/body.ts';
import { HttpError, invalid } from '../http/http-error.ts';

type Members = Readonly<Record<string, unknown>>;

export interface ValidateOrderOptions {
  /** The source of the order, for messages: `The order token`. */
  where: string;
  /** Unknown members, if already determined. */
  unknown?: readonly string[];
  onIgnoredMembers: OnIgnoredMembers;
}

/** Called with the unknown members of an order, which are ignored. */
export type OnIgnoredMembers = (about: { order_id: string; ignored: readonly string[] }) => void;

const MEMBERS = Object.keys(order.shape);

/**
 * Validates an order from a token or from the shop. Each mistake gets one sentence, which the
 * developer reads in the answer, in the browser's console or in `checkout-error`.
 * @throws HttpError 400 that names the member, its value and the rule
 */
export function validateOrder(
  input: Members,
  { where, unknown = unknownMembers(input), onIgnoredMembers: onIgnored }: ValidateOrderOptions,
): Order {
  const members = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
  const result = order.safeParse(members, { error: issueMessage });
  refuseMisspelt(members, unknown, where);
  if (!result.success) {
    const errors = result.error.issues.slice(0, 10).map(({ path, message }) => {
      const what = describeMistake(path.join('.'), valueAt(members, path), message);
      return { field: path.join('.'), message: `${where}${orderLabel(members)}: ${what}.` };
    });
    throw new HttpError(400, 'ValidationError', errors[0]!.message, { errors });
  }
  if (unknown.length > 0) onIgnored({ order_id: result.data.order_id, ignored: unknown });
  return result.data;
}

const unknownMembers = (members: Members): string[] =>
  Object.keys(members).filter((name) => !MEMBERS.includes(name));

/**
 * Unknown members are ignored, like the claims of a JWT (RFC 7519, section 4). An exception is a
 * name that resembles a missing member: ignoring that one would lead the buyer to the wrong place.
 * @throws HttpError 400
 */
function refuseMisspelt(members: Members, unknown: readonly string[], where: string): void {
  const open = MEMBERS.filter((name) => members[name] === undefined);
  for (const name of unknown) {
    const meant = closestName(name, open);
    if (meant)
      throw invalid(name, `${where}${orderLabel(members)}: ${name} is unknown; is ${meant} meant?`);
  }
}

/** The order id for messages, if known. */
export const orderLabel = ({ order_id }: Members): string =>
  typeof order_id === 'string' && order_id !== ''
    ? ` of ${JSON.stringify(order_id.slice(0, 60))}`
    : '';
