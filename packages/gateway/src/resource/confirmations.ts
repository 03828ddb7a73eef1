import {
  askConfirmations,
  type Confirmations,
} from '@crypto-checkout/protocol/schema/fields/confirmations';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { validate } from '../http/payload.ts';

/**
 * Returns the confirmations of resources, in the order of the requested ids.
 * @param read loads those of the ids that belong to the account
 * @throws ServiceError `NotFound` when an id is unknown or belongs to another account
 */
export async function readConfirmations(
  noun: string,
  input: unknown,
  read: (ids: string[]) => Promise<readonly Confirmations[]>,
): Promise<Confirmations[]> {
  const { id: ids } = validate(askConfirmations, input);
  const known = new Map(
    (await read(ids.filter(isUuid))).map(({ id, confirmations }) => [id, confirmations]),
  );
  return ids.map((id) => {
    const confirmations = known.get(id);
    if (confirmations === undefined)
      throw new ServiceError('NotFound', `There is no ${noun} with the id "${id.slice(0, 40)}".`);
    return { id, confirmations };
  });
}
