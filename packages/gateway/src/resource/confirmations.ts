import {
  askConfirmations,
  type Confirmations,
} from '@crypto-checkout/protocol/schema/fields/confirmations';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { validate } from '../http/payload.ts';

/**
 * Returns the confirmations of payouts or transactions, in the order of the requested ids.
 * @throws ServiceError `NotFound` when an id is unknown or belongs to another account
 */
export async function countConfirmations(
  { db }: Context,
  noun: 'payout' | 'transaction',
  accountId: string,
  input: unknown,
): Promise<Confirmations[]> {
  const { id: ids } = validate(askConfirmations, input);
  const { rows } = await sql<Confirmations & { account_id: string }>`
    select id, account_id, confirmations from ${sql.table(noun)} where id = any(${ids.filter(isUuid)}::uuid[])`.execute(
    db,
  );
  const known = new Map(
    rows
      .filter((row) => row.account_id === accountId)
      .map(({ id, confirmations }) => [id, confirmations]),
  );
  return ids.map((id) => {
    const confirmations = known.get(id);
    if (confirmations === undefined)
      throw new ServiceError('NotFound', `There is no ${noun} with the id "${id.slice(0, 40)}".`);
    return { id, confirmations };
  });
}
