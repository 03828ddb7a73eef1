import { ServiceError } from '../http/error.ts';
import { ForbiddenDestinationError } from '../outbound/outbound.ts';
import { UsageError } from './io.ts';

/** Names of API members as the command line calls them. */
const TYPED: Readonly<Record<string, string>> = {
  name: 'The name',
  callback_url: '--callback-url',
  notification_email: '--email',
  notification_email_kinds: '--email-kinds',
  max_payout: '--max-payout',
  max_payout_daily: '--max-payout-daily',
  whitelist_ip: '--whitelist-ip',
  permissions: '--permissions',
  grace_seconds: '--grace',
  address_format: 'The format',
  recipient_address: 'The address',
  keep_amount: '--keep',
  min_amount: '--min',
  reason: '--reason',
  account: '--account',
};

/**
 * Rewords a refusal with the names that were typed, and adds the remedy for a private address,
 * which only the operator may use.
 * @example await createProfile(context, id, payload).catch(asTyped);
 */
export function asTyped(error: unknown): never {
  if (!(error instanceof ServiceError)) throw error;
  const message = error.message.replace(
    /^The member (\w+)(?:\.\d+)*/,
    (all, member: string) => TYPED[member] ?? all,
  );
  const opening = error.cause instanceof ForbiddenDestinationError ? error.cause.opening : null;
  throw new UsageError(opening === null ? message : `${message} ${openedBy(opening)}`);
}

export const openedBy = (opening: string): string =>
  `To open it, add ${opening} to OUTBOUND_ALLOW, here and for the service.`;
