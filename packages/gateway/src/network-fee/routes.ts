import { Hono } from 'hono';
import { formatAmount } from '@crypto-checkout/protocol/amount';
import { listOf } from '@crypto-checkout/protocol/schema/fields/answer';
import { networkFee, type NetworkFee } from '@crypto-checkout/protocol/schema/network-fee';
import { usualSeconds } from '@crypto-checkout/protocol/usual-time';
import type { Context } from '../context.ts';
import { authorized } from '../http/authorized.ts';
import type { Env } from '../http/env.ts';
import type { Operation } from '../http/operation.ts';
import { roundedFee, UsualFees } from './usual-fees.ts';

const operations = {
  list: {
    summary: 'List network fees',
    description:
      'The usual network fee of one payment and its usual time, for each coin that can be received.',
    source: 'Network fees',
    isExtension: true,
    answer: listOf(networkFee),
  },
} satisfies Record<string, Operation>;

export function routes(context: Context): Hono<Env> {
  const app = new Hono<Env>();
  const fees = new UsualFees(context);

  app.get('/v1/network-fees/', authorized('exchange-rates:read', operations.list), async (c) => {
    const byKind = await fees.inDollars(await context.rates.current());
    const result: NetworkFee[] = [...byKind].map(([kind, fee]) => ({
      kind: kind.kind,
      fee_usd: fee === null ? null : formatAmount(roundedFee(fee)),
      seconds: kind.chain === 'lightning' ? 0 : usualSeconds(kind, 1),
    }));
    return c.json({ result });
  });

  return app;
}
