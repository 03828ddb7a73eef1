import { updateWallet as schema } from '@crypto-checkout/protocol/schema/wallet';
import type { Context } from '../context.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { validate } from '../http/payload.ts';
import { findWallet, saveAddressFormat, type WalletRow } from './store.ts';

/**
 * Sets the format of a bitcoin wallet's new addresses of kind BTC. Existing invoices keep their
 * addresses.
 * @param input `{address_format: 'bech32' | 'p2sh'}`
 * @throws ServiceError `NotFound`, `ValidationError`, `InvalidState` for a wallet of another chain
 */
export async function setAddressFormat(
  { db }: Pick<Context, 'db'>,
  accountId: string,
  walletId: string,
  input: unknown,
): Promise<WalletRow> {
  const found = isUuid(walletId) ? await findWallet(db, accountId, walletId) : null;
  if (found === null) throw new ServiceError('NotFound', 'There is no wallet with this id.');
  const { address_format } = validate(schema, input);
  if (await saveAddressFormat(db, accountId, walletId, address_format))
    return { ...found, address_format };
  throw new ServiceError(
    'InvalidState',
    `The wallet is for ${found.chain}; only bitcoin wallets have an address format.`,
  );
}
