import { checkoutState, networkOf, type StateContext } from '../checkouts/checkout-state.ts';
import type { CheckoutRecord } from '../checkouts/repository/record.ts';
import { newEvents } from './new-events.ts';

/** Adds the events that follow from the state of the record and that the shop has not received. */
export function withNewEvents(
  record: CheckoutRecord,
  context: StateContext,
  { profileId, now }: { profileId: string; now: number },
): CheckoutRecord {
  if (record.invoices.length === 0) return record;
  const network = networkOf(record, context.profile);
  const { serverTime } = context;
  const state = checkoutState(record, context);
  const added = newEvents(record, state, { network, profileId, now, serverTime });
  return added.length > 0 ? { ...record, events: [...record.events, ...added] } : record;
}
