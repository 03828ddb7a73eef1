import { askConfirmations, type Confirmations } from '@crypto-checkout/protocol/schema/confirmations';
import { ServiceError } from './error.ts';
import { isUuid } from './id.ts';
import { validate } from './payload.ts';

/**
 * How deep resources are, in the order in which they were asked for.
 * @param read finds those of these ids that are the account's own
 * @throws ServiceError `NotFound` when one of the ids is nobody's, or another account's
 */
export async function readConfirmations(
  noun: string,
  input: unknown,
  read: (ids: string[]) => Promise<readonly Confirmations[]>,
): Promise<Confirmations[]> {
  const { id: ids } = validate(askConfirmations, input);
  const known = new Map((await read(ids.filter(isUuid))).map(({ id, confirmations }) => [id, confirmations]));
  return ids.map((id) => {
    const confirmations = known.get(id);
    if (confirmations === undefined) throw new ServiceError('NotFound', `There is no ${noun} with the id "${id.slice(0, 40)}".`);
    return { id, confirmations };
  });
}
