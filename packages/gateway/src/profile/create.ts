import { createProfile as schema } from '@crypto-checkout/protocol/schema/profile';
import type { Context } from '../context.ts';
import { timestamp, transact } from '../database/database.ts';
import { validate } from '../http/payload.ts';
import { readChange, readCurrencies } from './check.ts';
import {
  findProfile,
  insertProfile,
  lockProfiles,
  type ProfileChange,
  type ProfileRow,
  walletChains,
} from './store.ts';

/** Columns of a profile without content of the caller. */
export const PROFILE_DEFAULTS = {
  invoice_expiration: 900,
  addresses_expiration: 604_800,
} as const satisfies ProfileChange;

/**
 * Creates a profile.
 * @param input the unparsed payload; `name` and `currencies` are required
 * @throws ServiceError for every mistake in it; then nothing was written
 * @example await createProfile(context, accountId, { name: 'Shop', currencies: [{ kind: 'BTC',
 * wallet_id }] });
 */
export async function createProfile(
  context: Context,
  accountId: string,
  input: unknown,
): Promise<ProfileRow> {
  const { config, ids, clock } = context;
  const payload = validate(schema, input);
  return transact(context.db, async (trx) => {
    const { isTestnet } = await lockProfiles(trx, accountId);
    const around = {
      config,
      isTestnet,
      wallets: await walletChains(trx, accountId),
      callbackUrl: null,
    };
    const id = ids.uuid();
    const change = readChange(payload, around);
    const profile = {
      ...PROFILE_DEFAULTS,
      ...change,
      name: payload.name,
      account_id: accountId,
      id,
      created_at: timestamp(clock.now()),
    };
    await insertProfile(trx, profile, readCurrencies(payload.currencies, around));
    return (await findProfile(trx, accountId, id))!;
  });
}
