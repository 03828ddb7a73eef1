import type { Config } from '../config.ts';
import type { Context } from '../context.ts';
import { timestamp } from '../database/timestamp.ts';
import { ServiceError } from '../http/error.ts';
import { isUuid } from '../http/id.ts';
import { insertLink } from './store.ts';
import { newToken } from './token.ts';

export const LINK_MS = 10 * 60 * 1000;

export interface LoginLink {
  url: string;
  /** Real time in the wire format. */
  expiresAt: string;
}

/**
 * Creates a link that signs one person in to the dashboard of an account, once, within ten minutes.
 * Treat it like a password: show it to the person who asked, and store it nowhere. The token is in
 * the fragment, which browsers do not send: it appears in no access log and to no link previewer.
 * @param email the person's address, recorded with their approvals
 * @throws ServiceError `NotFound` for an unknown account
 * @example const { url } = await createLoginLink(context, { accountId });
 */
export async function createLoginLink(
  context: Pick<Context, 'config' | 'db' | 'ids' | 'clock'>,
  { accountId, email = null }: { accountId: string; email?: string | null },
): Promise<LoginLink> {
  const { config, db, ids, clock } = context;
  const { token, hash } = newToken(ids);
  const now = clock.real();
  const expiresAt = timestamp(now + LINK_MS);
  const known =
    isUuid(accountId) &&
    (await insertLink(db, { tokenHash: hash, accountId, email, now: timestamp(now), expiresAt }));
  if (!known) throw new ServiceError('NotFound', 'There is no account with this id.');
  return { url: `${dashboardUrl(config)}sign-in/#${token}`, expiresAt };
}

/** The dashboard's address. */
export function dashboardUrl({
  gatewayUrl,
  host,
  port,
}: Pick<Config, 'gatewayUrl' | 'host' | 'port'>): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${gatewayUrl ?? `http://${name}:${port}`}/dashboard/`;
}
