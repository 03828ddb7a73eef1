import { updateSubAccount as schema } from '@crypto-checkout/protocol/schema/account';
import type { Context } from '../context.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { validate } from '../http/payload.ts';
import { type AccountRow, findSubAccount } from './store.ts';

/**
 * Changes a sub account (§4.10): what is left out stays. Its slug stays too, because addresses name it.
 * @throws ServiceError `NotFound` for whatever is no sub account of this one, `ValidationError`
 */
export async function updateSubAccount(context: Context, parentId: string, id: string, input: unknown): Promise<AccountRow> {
  const { db } = context;
  const payload = validate(schema, input);
  const before = await requireSubAccount(context, parentId, id);
  const change = Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== undefined));
  if (Object.keys(change).length === 0) return before;
  await db.updateTable('account').set(change).where('id', '=', before.id).where('parent_id', '=', parentId).execute();
  return (await findSubAccount(db, parentId, id))!;
}

/** @throws ServiceError `NotFound` for an id that is unknown or another integrator's, alike */
export async function requireSubAccount({ db }: Pick<Context, 'db'>, parentId: string, id: string): Promise<AccountRow> {
  const account = isUuid(id) ? await findSubAccount(db, parentId, id) : null;
  if (!account) throw new ServiceError('NotFound', 'There is no sub account with this id.');
  return account;
}
