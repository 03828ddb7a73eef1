import type { ResponseHeaders } from '../http/headers.ts';
import type { Origins } from '../http/origins.ts';
import type { RateLimits } from '../http/rate-limits.ts';
import type { BffOptions } from '../options.ts';
import type { Cache } from '../service/cache.ts';
import type { ServiceProfile } from '../service/service.ts';
import type { Hmac } from '@crypto-checkout/protocol/signature';
import type { Context } from 'hono';
import type { CheckoutOpener } from './checkout-opener.ts';
import type { CheckoutResolver } from './checkout-resolver.ts';
import type { CheckoutInvoices } from './invoices/checkout-invoices.ts';
import type { OpenStreams } from './open-streams.ts';
import type { ViewFreshness } from './poller/view-freshness.ts';
import type { CheckoutPresenter } from './presenter/checkout-presenter.ts';
import type { CheckoutRepository } from './repository/checkout-repository.ts';

/** The services that the checkout endpoints use. */
export interface CheckoutRouteServices {
  options: BffOptions;
  limits: RateLimits;
  origins: Origins;
  headers: ResponseHeaders;
  addressOf: (c: Context) => string;
  /** For limits. */
  steady: () => number;
  hmac: Hmac;
  repository: CheckoutRepository;
  resolver: CheckoutResolver;
  opener: CheckoutOpener;
  invoices: CheckoutInvoices;
  freshness: ViewFreshness;
  presenter: CheckoutPresenter;
  streams: OpenStreams;
  profile: Cache<ServiceProfile>;
  /** Called with a requested success URL that is not followed. */
  onRejectedSuccessUrl: (link: string) => void;
}
