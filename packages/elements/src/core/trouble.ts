import type { Checkout } from '@crypto-checkout/protocol/checkout';
import type { TroubleModule } from './contracts.ts';
import { loadTrouble, trouble } from './lazy-registry.ts';

/** Stages of an order that is paid in full and in time. */
const SMOOTH_STAGES = ['choose', 'pay', 'seen', 'paid', 'complete'];
const UNPAID_STAGES = ['choose', 'pay'];
/** Payments that do not count yet, or never will. */
const UNCOUNTED = ['quarantined', 'failed', 'replaced', 'dropped'];

/**
 * Whether anything happens beside a payment in full and in time. Texts and forms for it are in the
 * module for trouble, which most buyers never load.
 */
export const hasTrouble = ({
  stage,
  notes,
  coins,
  payment,
  received,
  merchant,
}: Checkout): boolean =>
  !SMOOTH_STAGES.includes(stage) ||
  received.length > (UNPAID_STAGES.includes(stage) ? 0 : 1) ||
  (stage === 'choose' && !coins.length) ||
  notes.some((note) => note !== 'test_network') ||
  received.some((one) => !one?.value || one.refunded || UNCOUNTED.includes(one.status)) ||
  Boolean(payment?.renewable || payment?.other_address || merchant?.legal?.asked) ||
  payment?.from === 'exchange';

/** The module for trouble where this checkout has any: server and browser must agree on it. */
export const troubleIn = (checkout: Checkout): TroubleModule | undefined =>
  hasTrouble(checkout) ? trouble() : undefined;

/** Loads the module for trouble where this checkout has any; undefined when nothing is missing. */
export const loadTroubleOf = (checkout: Checkout): Promise<unknown> | undefined =>
  hasTrouble(checkout) && !trouble() ? loadTrouble() : undefined;

/** Loads the texts of a stage beside the usual ones. */
export const loadStage = (stage: string): Promise<unknown> | undefined =>
  [...SMOOTH_STAGES, 'send'].includes(stage) || trouble() ? undefined : loadTrouble();
