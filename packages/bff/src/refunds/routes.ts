import type { Hmac } from '@crypto-checkout/protocol/signature';
import type { Hono } from 'hono';
import { z } from 'zod';
import { resolveForWrite } from '../checkouts/routes.ts';
import type { CheckoutRouteServices } from '../checkouts/route-services.ts';
import { readJson, validate } from '../http/body.ts';
import type { Service } from '../service/service.ts';
import { requestRefund } from './buyer-refund.ts';

const MAX_BODY = 32 * 1024;
const RefundBody = z.object({
  transaction: z.string().min(1).max(256),
  address: z.string().trim().min(1).max(4096),
  tag: z.string().max(120).nullish(),
  order: z.string().max(8192).nullish(),
  estimate: z.boolean().nullish(),
});

interface RefundRouteServices extends CheckoutRouteServices {
  service: Service;
  hmac: Hmac;
  /** Own clock, milliseconds since the epoch. */
  now: () => number;
}

/** The buyer's request for money back (docs/shop/http-api.md). */
export function refundRoutes(app: Hono, services: RefundRouteServices): void {
  const { headers, origins, freshness, presenter, profile, service, options, hmac, now } = services;
  app.post('/checkouts/:id/refund', async (c) => {
    const { checkout, invoiceId } = await resolveForWrite(c, services, false);
    const body = validate(RefundBody, await readJson(c, z.looseObject({}), MAX_BODY));
    await Promise.all([freshness.ensureFresh(checkout), freshness.loadProfileAndRates()]);
    const { transaction, address, tag = null, order = null, estimate } = body;
    const isEstimate = estimate === true;
    const refund = await requestRefund(
      checkout.record,
      invoiceId,
      { transaction, address, tag, order, isEstimate },
      {
        service,
        profile: profile.peek(),
        serverTime: presenter.serverTime(),
        orderSecret: options.orderSecret,
        hmac,
        now: now(),
      },
    );
    return c.json({ refund }, 200, { ...headers.json, ...origins.headers(c) });
  });
}
