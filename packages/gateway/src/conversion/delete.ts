import type { Context } from '../context.ts';
import { transact } from '../database/database.ts';
import { isUuid } from '../http/id.ts';
import { notFound } from './get.ts';
import { deleteConversion, findConversion, lockConversion, type ConversionView } from './store.ts';
import { requireDraft } from './update.ts';

/**
 * Deletes a draft, which holds no funds.
 * @returns the deleted conversion
 * @throws ServiceError `NotFound`, also when repeated; `InvalidState` if it is not a draft
 */
export async function removeConversion(
  { db }: Context,
  accountId: string,
  id: string,
): Promise<ConversionView> {
  if (!isUuid(id)) throw notFound();
  return transact(db, async (trx) => {
    const row = await lockConversion(trx, id);
    if (row === null || row.account_id !== accountId) throw notFound();
    requireDraft(row, 'deleted');
    const view = await findConversion(trx, accountId, id);
    await deleteConversion(trx, id);
    return view!;
  });
}
