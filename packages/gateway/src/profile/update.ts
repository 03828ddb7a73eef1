import { updateProfile as schema } from '@crypto-checkout/protocol/schema/profile';
import { readdressCallbacks } from '../callback/readdress.ts';
import type { Context } from '../context.ts';
import { transact } from '../database/database.ts';
import { validate } from '../http/payload.ts';
import { readChange, readCurrencies } from './check.ts';
import { requireProfile } from './get.ts';
import { findProfile, lockProfiles, type ProfileRow, saveProfile, walletChains } from './store.ts';

/**
 * Changes a profile: absent members stay, null clears; coins that are missing from the list are
 * disabled. Existing invoices keep their terms. Their callbacks go to the profile's current
 * address, including those that wait for a retry.
 * @throws ServiceError for every mistake; then nothing was changed
 */
export async function updateProfile(
  context: Context,
  accountId: string,
  id: string,
  input: unknown,
): Promise<ProfileRow> {
  const payload = validate(schema, input);
  return transact(context.db, async (trx) => {
    const { isTestnet } = await lockProfiles(trx, accountId);
    const before = await requireProfile(trx, accountId, id);
    const wallets = await walletChains(trx, accountId);
    const around = { config: context.config, isTestnet, wallets, callbackUrl: before.callback_url };
    const currencies =
      payload.currencies === undefined ? null : readCurrencies(payload.currencies, around);
    await saveProfile(trx, before, readChange(payload, around), currencies);
    const after = (await findProfile(trx, accountId, id))!;
    if (payload.callback_url !== undefined) await readdressCallbacks(trx, context, after);
    return after;
  });
}
