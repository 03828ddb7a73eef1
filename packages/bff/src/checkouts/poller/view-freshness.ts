import { waitAtMost } from '../../wait-at-most.ts';
import type { PollBudget } from '../../service/poll-budget.ts';
import type { Cache } from '../../service/cache.ts';
import type { ServiceProfile } from '../../service/service.ts';
import type { CheckoutRepository, LoadedCheckout } from '../repository/checkout-repository.ts';
import type { CheckoutPoller } from './checkout-poller.ts';
import { currentProfile } from '../current-profile.ts';
import { pollInterval } from '../invoices/poll-interval.ts';
import type { InvoiceReader } from '../invoices/invoice-reader.ts';
import type { CheckoutPresenter } from '../presenter/checkout-presenter.ts';

export interface ViewFreshnessOptions {
  repository: CheckoutRepository;
  reader: InvoiceReader;
  poller: CheckoutPoller;
  presenter: CheckoutPresenter;
  budget: PollBudget;
  profile: Cache<ServiceProfile>;
  rates: Cache<ReadonlyMap<string, string>>;
  networkFees: Cache<ReadonlyMap<string, string>>;
  steady: () => number;
}

/** A request waits at most this long for the service; then it gets the last known view. */
const MAX_WAIT_MS = 2500;
/**
 * The poller reads watched checkouts; a request reads only when the poller is late by this much.
 */
const GRACE_MS = 3000;
const INTERVAL_CACHE_MS = 1000;

/** Keeps views fresh: no older than the poll interval, for any number of requests. */
export class ViewFreshness {
  readonly #options: ViewFreshnessOptions;
  readonly #intervals = new WeakMap<
    LoadedCheckout,
    { revision: number; at: number; every: number }
  >();

  constructor(options: ViewFreshnessOptions) {
    this.#options = options;
  }

  /** Whether the last reading is recent enough. Marks the checkout as watched. */
  isFresh(checkout: LoadedCheckout): boolean {
    const moment = this.#options.steady();
    checkout.requestedAt = moment;
    return moment - checkout.readAt < this.#interval(checkout, moment) + GRACE_MS;
  }

  /** The interval depends on the record and on time; a second of delay is fine. */
  #interval(checkout: LoadedCheckout, moment: number): number {
    const cached = this.#intervals.get(checkout);
    if (cached && cached.revision === checkout.revision && moment - cached.at < INTERVAL_CACHE_MS)
      return cached.every;
    const every =
      pollInterval(checkout.record, true, this.#options.presenter.serverTime()) ?? Infinity;
    this.#intervals.set(checkout, { revision: checkout.revision, at: moment, every });
    return every;
  }

  /** Reads a stale checkout again. When the read fails, the old view is shown. */
  async ensureFresh(checkout: LoadedCheckout): Promise<void> {
    const { reader, poller, budget, steady } = this.#options;
    const fresh = this.isFresh(checkout);
    poller.schedule(checkout);
    if (fresh || (checkout.readAt > 0 && !budget.hasRoom(steady()))) return;
    await waitAtMost(MAX_WAIT_MS, reader.read(checkout));
  }

  /**
   * Loads the profile and the rates, which every view needs, where they are missing, and a stale
   * profile that leaves out coins. The first view also waits for the fees; without them it only
   * lacks a hint.
   */
  async loadProfileAndRates(): Promise<void> {
    const { profile, rates, networkFees } = this.#options;
    const isFirst = !profile.peek() || !rates.peek();
    const fees = isFirst ? networkFees.get().catch(() => null) : null;
    await waitAtMost(MAX_WAIT_MS, Promise.all([currentProfile(profile), rates.get(), fees]));
  }
}
