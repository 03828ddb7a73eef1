import { decimalsOf } from '@crypto-checkout/protocol/amount';
import { currencyOf } from '@crypto-checkout/protocol/currency';
import { CHAINS, KINDS, kindOf, type Kind } from '@crypto-checkout/protocol/kind';
import type { updateProfile } from '@crypto-checkout/protocol/schema/profile';
import type { z } from 'zod';
import { usualConfirmations } from './default-confirmations.ts';
import { requireOffered } from './disabled-kinds.ts';
import type { Config } from '../config.ts';
import { ServiceError } from '../http/error.ts';
import { invalid } from '../http/invalid.ts';
import { ForbiddenDestinationError, requireStatedDestination } from '../outbound/outbound.ts';
import type { CurrencyRow, ProfileChange } from './store.ts';

/** Kinds by their names in a profile; a kind that only payouts have cannot receive. */
const ZERO_CONF_KINDS: readonly string[] = KINDS.filter(({ chain }) => chain === 'bitcoin').map(
  ({ kind }) => kind,
);

export type ProfilePayload = z.output<typeof updateProfile>;

/** The state that a write is checked against. */
export interface Around {
  config: Pick<Config, 'outboundAllow'>;
  isTestnet: boolean;
  /** The account's wallets and their chains. */
  wallets: ReadonlyMap<string, string>;
  /** Values that are already stored are not checked again: the operator may have set them. */
  callbackUrl: string | null;
}

/**
 * Returns the columns that a payload changes, after the checks that a schema cannot make: wallets,
 * their chains, decimals, the callback's destination. Absent members stay, null clears.
 * @throws ServiceError `ValidationError`, or `NotFound` for a wallet of another account
 */
export function readChange(payload: ProfilePayload, around: Around): ProfileChange {
  const {
    acceptance_range: range,
    reserve_wallet: reserve,
    notification_email_kinds: kinds,
    callback_url: url,
  } = payload;
  if (typeof url === 'string' && url !== around.callbackUrl) requireCallbackUrl(url, around);
  return withoutAbsent({
    name: payload.name,
    notification_email: payload.notification_email,
    invoice_expiration: payload.invoice_expiration,
    addresses_expiration: payload.addresses_expiration,
    notification_email_kinds: kinds === null ? [] : kinds,
    onramp_api_key: payload.onramp_api_key,
    allow_smart_contract_payouts: payload.allow_smart_contract_payouts,
    stablecoin_precision: payload.stablecoin_precision,
    positive_difference: range?.positive_difference,
    negative_difference: range?.negative_difference,
    reserve_wallet: reserve ? JSON.stringify(readReserve(reserve, around)) : reserve,
    callback_url: url,
  });
}

/** The coins that become enabled. */
export function readCurrencies(
  list: NonNullable<ProfilePayload['currencies']>,
  { wallets, isTestnet }: Around,
): CurrencyRow[] {
  return list.map(
    ({ kind: name, wallet_id, custom_fee, min_confirmations, zero_conf_max_amount }, at) => {
      const field = `currencies.${at}`;
      // The one payout kind without a coin of its own pays bitcoin, out of the bitcoin wallet.
      const kind = kindOf(name) ?? kindOf('BTC')!;
      requireOffered(kind, `${field}.kind`, 'enabled');
      requireWallet(wallet_id, `${field}.wallet_id`, kind, name, wallets);
      if (custom_fee) requireFee(custom_fee, kind, `${field}.custom_fee`);
      if (typeof zero_conf_max_amount === 'string')
        requireZeroConf(zero_conf_max_amount, kind, name, `${field}.zero_conf_max_amount`);
      return {
        kind: name,
        wallet_id,
        custom_fee: custom_fee ?? null,
        min_confirmations: statedConfirmations(name, min_confirmations ?? null, isTestnet),
        zero_conf_max_amount: zero_conf_max_amount ?? null,
      };
    },
  );
}

/**
 * Null for the default. A profile that is read and written back states it, and keeps it all the
 * same: otherwise its large payments would no longer wait longer.
 */
function statedConfirmations(
  kind: string,
  stated: number | null,
  is_testnet: boolean,
): number | null {
  return stated === usualConfirmations(kind, { is_testnet }) ? null : stated;
}

function readReserve(
  { kind: name, network, wallet, wallet_id }: NonNullable<ProfilePayload['reserve_wallet']>,
  { isTestnet, wallets }: Around,
): { kind: string; wallet_id: string } {
  const own = isTestnet ? 'testnet' : 'mainnet';
  if ((network ?? own) !== own)
    throw invalid('reserve_wallet.network', `must be ${own}, as the account is`);
  const id = wallet ?? wallet_id ?? '';
  const kind = kindOf(name)!;
  requireOffered(kind, 'reserve_wallet.kind');
  requireWallet(id, 'reserve_wallet.wallet', kind, name, wallets);
  return { kind: name, wallet_id: id };
}

function requireWallet(
  id: string,
  field: string,
  kind: Kind,
  name: string,
  wallets: ReadonlyMap<string, string>,
): void {
  const chain = wallets.get(id);
  if (chain === undefined)
    throw new ServiceError('NotFound', `There is no wallet with the id of ${field}.`, {
      errors: [{ field, message: 'must be the id of a wallet of this account' }],
    });
  const { walletChain } = CHAINS[kind.chain];
  if (chain !== walletChain)
    throw invalid(field, `must be a wallet of ${CHAINS[walletChain].name}, to hold ${name}`);
}

function requireFee(
  { amount, currency: symbol }: { amount: string; currency: string },
  kind: Kind,
  field: string,
): void {
  const decimals = symbol === kind.symbol ? kind.decimals : currencyOf(symbol)?.decimals;
  if (decimals === undefined)
    throw invalid(
      `${field}.currency`,
      `must be ${kind.symbol} or one of the currencies, not ${JSON.stringify(symbol)}`,
    );
  if (decimalsOf(amount) > decimals)
    throw invalid(`${field}.amount`, `may have at most ${decimals} decimals, as ${symbol} has`);
}

/**
 * Only bitcoin on its chain can count before it is in a block; for another coin the setting would
 * have no effect.
 */
function requireZeroConf(amount: string, kind: Kind, name: string, field: string): void {
  if (!ZERO_CONF_KINDS.includes(name))
    throw invalid(field, `is for ${ZERO_CONF_KINDS.join(', ')} only, not for ${name}`);
  if (decimalsOf(amount) > kind.decimals)
    throw invalid(field, `may have at most ${kind.decimals} decimals, as ${name} has`);
}

/** The same guard as at connect time; names are resolved only then. */
function requireCallbackUrl(text: string, { config, isTestnet }: Around): void {
  const schemes = isTestnet ? 'http or https' : 'https';
  const url = URL.canParse(text) && !/\s/.test(text) ? new URL(text) : null;
  if (url === null) throw invalid('callback_url', `must be an ${schemes} URL`);
  try {
    requireStatedDestination(url, config.outboundAllow, isTestnet);
  } catch (error) {
    if (!(error instanceof ForbiddenDestinationError)) throw error;
    throw invalid(
      'callback_url',
      `must be an ${schemes} URL that may be called: ${error.message}`,
      error,
    );
  }
}

function withoutAbsent(columns: {
  [Name in keyof ProfileChange]: ProfileChange[Name] | undefined;
}): ProfileChange {
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}
