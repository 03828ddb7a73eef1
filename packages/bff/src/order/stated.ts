import { mistake } from '@crypto-checkout/protocol/order-token';
import { nearest } from '@crypto-checkout/protocol/nearest';
import { type Order, order } from '@crypto-checkout/protocol/schema/order';
import { inOurWords, valueAt } from '../http/body.ts';
import { Refusal, invalid } from '../http/refusal.ts';

type Members = Readonly<Record<string, unknown>>;

export interface StatedOptions {
  /** What it stands in: `The order token`. */
  where: string;
  /** Members that are not an order's, where they are known already. */
  unknown?: readonly string[];
  onIgnored: OnIgnored;
}

/** Hears of members that are not an order's, and count for nothing. */
export type OnIgnored = (about: { order_id: string; ignored: readonly string[] }) => void;

const MEMBERS = Object.keys(order.shape);

/**
 * The order that a shop states, in a token or with its secret: one rule, and one sentence for each mistake, which its developer reads in
 * the answer, in the browser's console or in `checkout-error`.
 * @throws Refusal 400 that names the member, what it is and what it has to be
 */
export function statedOrder(stated: Members, { where, unknown = unknownIn(stated), onIgnored }: StatedOptions): Order {
  const members = Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== null));
  const read = order.safeParse(members, { error: inOurWords });
  refuseMisspelt(members, unknown, where);
  if (!read.success) {
    const errors = read.error.issues.slice(0, 10).map(({ path, message }) => {
      const what = mistake(path.join('.'), valueAt(members, path), message);
      return { field: path.join('.'), message: `${where}${nameOf(members)}: ${what}.` };
    });
    throw new Refusal(400, 'ValidationError', errors[0]!.message, { errors });
  }
  if (unknown.length > 0) onIgnored({ order_id: read.data.order_id, ignored: unknown });
  return read.data;
}

const unknownIn = (members: Members): string[] => Object.keys(members).filter((name) => !MEMBERS.includes(name));

/**
 * Members that nobody knows are ignored, as the claims of a JWT are (RFC 7519 §4), but not one that is nearly another which is not there:
 * without it the buyer would end elsewhere than the shop wants.
 * @throws Refusal 400
 */
function refuseMisspelt(members: Members, unknown: readonly string[], where: string): void {
  const open = MEMBERS.filter((name) => members[name] === undefined);
  for (const name of unknown) {
    const meant = nearest(name, open);
    if (meant) throw invalid(name, `${where}${nameOf(members)}: ${name} is unknown; is ${meant} meant?`);
  }
}

/** Which order it is, where that is known. */
export const nameOf = ({ order_id }: Members): string =>
  typeof order_id === 'string' && order_id !== '' ? ` of ${JSON.stringify(order_id.slice(0, 60))}` : '';
