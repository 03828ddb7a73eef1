import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import type { Context } from '../context.ts';
import { dashboardUrl } from '../dashboard/login-link.ts';
import type { Account } from '../http/env.ts';
import type { AccountRow } from './store.ts';

/** The account's settings on the wire; `url` opens the account in the dashboard (our choice). */
export function presentSettings(
  { config }: Pick<Context, 'config'>,
  { id, name, isTestnet }: Account,
) {
  return { id, name, is_testnet: isTestnet, url: dashboardUrl(config) };
}

/** A sub account on the wire. Only integrator keys read one, so the callback token is in clear. */
export function presentSubAccount(
  { config, secrets }: Pick<Context, 'config' | 'secrets'>,
  row: AccountRow,
) {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug ?? '',
    is_testnet: row.is_testnet,
    can_add_exchange: row.can_add_exchange,
    show_internal_tx: row.show_internal_tx,
    whitelabel_fee: formatAmount(parseAmount(row.whitelabel_fee)),
    profiles: row.profiles,
    callback_token: secrets.unseal(row.callback_token_sealed, row.id),
    url: dashboardUrl(config),
  };
}
