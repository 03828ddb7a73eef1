import { updateSubAccount as schema } from '@crypto-checkout/protocol/schema/account';
import type { Context } from '../context.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { validate } from '../http/payload.ts';
import { type AccountRow, findSubAccount } from './store.ts';

/**
 * Changes a sub account; absent members stay. The slug stays too, because addresses contain it.
 * @throws ServiceError `NotFound` when it is not a sub account of this one, `ValidationError`
 */
export async function updateSubAccount(
  context: Context,
  parentId: string,
  id: string,
  input: unknown,
): Promise<AccountRow> {
  const { db } = context;
  const payload = validate(schema, input);
  const before = await requireSubAccount(context, parentId, id);
  const change = Object.fromEntries(
    Object.entries(payload).filter(([, value]) => value !== undefined),
  );
  if (Object.keys(change).length === 0) return before;
  await db
    .updateTable('account')
    .set(change)
    .where('id', '=', before.id)
    .where('parent_id', '=', parentId)
    .execute();
  return (await findSubAccount(db, parentId, id))!;
}

/** @throws ServiceError `NotFound` for an unknown id and another integrator's alike */
export async function requireSubAccount(
  { db }: Pick<Context, 'db'>,
  parentId: string,
  id: string,
): Promise<AccountRow> {
  const account = isUuid(id) ? await findSubAccount(db, parentId, id) : null;
  if (!account) throw new ServiceError('NotFound', 'There is no sub account with this id.');
  return account;
}
