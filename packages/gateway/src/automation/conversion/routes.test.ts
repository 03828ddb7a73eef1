import { automaticConversion } from '@crypto-checkout/protocol/schema/automatic-conversion';
import { describeRuleRoutes } from '../../../test/support/rule-routes.ts';

describeRuleRoutes({
  path: '/v1/automatic-conversions/',
  resource: 'auto-conversions',
  schema: automaticConversion,
  more: { created_at: '2026-11-21T06:00:00.000000+00:00', created_by: 'API' },
  side: 'from',
});
