import type { Checkout } from '@crypto-checkout/protocol/checkout';
import { timestamp } from '../../http/timestamp.ts';
import type { Merchant } from '../../merchant/merchant.ts';
import type { Mailer } from '../../options.ts';
import type { Service, ServiceProfile } from '../../service/service.ts';
import type { ResolvedCheckout } from '../checkout-resolver.ts';
import type { LoadedCheckout } from '../repository/checkout-repository.ts';
import { viewOf } from './view.ts';

/** A view with its version and ETag. */
export interface PresentedView {
  view: Checkout;
  etag: string;
}

export interface CheckoutPresenterOptions {
  service: Service;
  now: () => number;
  steady: () => number;
  merchant: Merchant;
  canExtend: boolean;
  onrampUrl: string | null;
  mailer: Mailer | undefined;
  successOrigins: readonly string[];
  profile: () => ServiceProfile | null;
  rates: () => ReadonlyMap<string, string> | null;
  networkFees: () => ReadonlyMap<string, string> | null;
}

/** A view is valid for one second, or until its record changes: time alone can change a stage. */
const CACHE_MS = 1000;

/** Tolerance for changes of the service's clock before countdowns are set again. */
const CLOCK_JUMP_MS = 2500;

interface CachedView {
  revision: number;
  at: number;
  offset: number;
  digest: string;
  presented: PresentedView;
}

/** Creates the views of checkouts. Each change of a view gets a new version. */
export class CheckoutPresenter {
  readonly #options: CheckoutPresenterOptions;
  readonly #views = new WeakMap<LoadedCheckout, Map<string, CachedView>>();

  constructor(options: CheckoutPresenterOptions) {
    this.#options = options;
  }

  serverTime(): number {
    return this.#options.now() + this.#options.service.offset();
  }

  present(target: ResolvedCheckout): PresentedView {
    const { steady, service } = this.#options;
    const views = this.#viewsOf(target.checkout);
    const key = target.invoiceId ?? '';
    const cached = views.get(key);
    const moment = steady();
    if (cached && cached.revision === target.checkout.revision && moment - cached.at < CACHE_MS)
      return this.#current(cached);

    const view = this.#view(target, 0);
    const digest = JSON.stringify({ ...view, server_time: '' });
    const isUnchanged =
      cached &&
      cached.digest === digest &&
      Math.abs(service.offset() - cached.offset) < CLOCK_JUMP_MS;
    const version = isUnchanged
      ? cached.presented.view.version
      : this.#nextVersion(target.checkout, cached);
    const offset = isUnchanged ? cached.offset : service.offset();
    const next: CachedView = {
      revision: target.checkout.revision,
      at: moment,
      offset,
      digest,
      // Streams keep the last view of each client: an unchanged one takes no further memory.
      presented: isUnchanged
        ? cached.presented
        : { view: { ...view, version }, etag: `"${version.toString(36)}"` },
    };
    views.set(key, next);
    return this.#current(next);
  }

  /** Versions are milliseconds, so that they increase across restarts and processes. */
  #nextVersion(checkout: LoadedCheckout, cached: CachedView | undefined): number {
    const last = cached?.presented.view.version ?? 0;
    return cached || checkout.revision > 1
      ? Math.max(last + 1, checkout.record.version, this.#options.now())
      : checkout.record.version;
  }

  #current({ presented }: CachedView): PresentedView {
    return { ...presented, view: { ...presented.view, server_time: timestamp(this.serverTime()) } };
  }

  #view({ checkout, invoiceId }: ResolvedCheckout, version: number): Checkout {
    const { profile, rates, networkFees, ...fixed } = this.#options;
    return viewOf(checkout.record, {
      ...fixed,
      serverTime: this.serverTime(),
      profile: profile(),
      rates: rates(),
      networkFees: networkFees(),
      invoiceId,
      version,
    });
  }

  #viewsOf(checkout: LoadedCheckout): Map<string, CachedView> {
    let views = this.#views.get(checkout);
    if (!views) this.#views.set(checkout, (views = new Map()));
    return views;
  }
}
