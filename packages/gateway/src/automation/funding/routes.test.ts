import { automaticFunding } from '@crypto-checkout/protocol/schema/automatic-funding';
import { describeRuleRoutes } from '../../../test/support/rule-routes.ts';

describeRuleRoutes({
  path: '/v1/automatic-funding/',
  resource: 'auto-funding',
  schema: automaticFunding,
  more: {},
  side: 'to',
});
