import type { Context } from '../context.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { findConversion, type ConversionView } from './store.ts';

/** @throws ServiceError `NotFound` for an unknown id, also for one of another account */
export async function getConversion(
  { db }: Context,
  accountId: string,
  id: string,
): Promise<ConversionView> {
  const conversion = isUuid(id) ? await findConversion(db, accountId, id) : null;
  if (conversion) return conversion;
  throw notFound();
}

export const notFound = (): ServiceError =>
  new ServiceError('NotFound', 'There is no conversion with this id.');
