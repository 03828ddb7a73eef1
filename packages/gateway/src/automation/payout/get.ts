import type { Context } from '../../context.ts';
import { ServiceError } from '../../http/error.ts';
import { isUuid } from '../../http/id.ts';
import { findRule, type RuleView } from './store.ts';

/** @throws ServiceError `NotFound` for an unknown id, also for one of another account */
export async function getAutomaticPayout(
  { db }: Context,
  accountId: string,
  id: string,
): Promise<RuleView> {
  const rule = isUuid(id) ? await findRule(db, accountId, id) : null;
  if (rule) return rule;
  throw noSuchRule();
}

export const noSuchRule = (): ServiceError =>
  new ServiceError('NotFound', 'There is no automatic payout with this id.');
