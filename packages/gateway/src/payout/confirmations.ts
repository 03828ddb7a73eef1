import { z } from 'zod';
import type { Context } from '../context.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { validate } from '../http/payload.ts';
import { confirmationsOf } from './store.ts';

const MAX_IDS = 500;
const schema = z.object({ id: z.array(z.string()).min(1).max(MAX_IDS) });

/**
 * How deep payouts are, in the order in which they were asked for (§4.3).
 * @throws ServiceError `NotFound` when one of the ids is nobody's, or another account's
 */
export async function countConfirmations(
  { db }: Context,
  accountId: string,
  input: unknown,
): Promise<{ id: string; confirmations: number }[]> {
  const { id: ids } = validate(schema, input);
  const known = new Map((await confirmationsOf(db, accountId, ids.filter(isUuid))).map(({ id, confirmations }) => [id, confirmations]));
  return ids.map((id) => {
    const confirmations = known.get(id);
    if (confirmations === undefined) throw new ServiceError('NotFound', `There is no payout with the id "${id.slice(0, 40)}".`);
    return { id, confirmations };
  });
}
