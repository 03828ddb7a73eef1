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
  /** Real time in the spec's form. */
  expiresAt: string;
}

/**
 * Makes a link that signs one person in to the dashboard of an account, once, within ten minutes. It is as good as a password:
 * show it to who asked, and write it nowhere. The token stands behind the `#`, which browsers send to nobody: no access log of
 * ours or of a proxy ever has it, and a previewer of links that opens the page does not even know it.
 * @param email of the person; it stands on what they approve
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
  const known = isUuid(accountId) && (await insertLink(db, { tokenHash: hash, accountId, email, now: timestamp(now), expiresAt }));
  if (!known) throw new ServiceError('NotFound', 'There is no account with this id.');
  return { url: `${dashboardUrl(config)}sign-in/#${token}`, expiresAt };
}

/** Where an operator opens the dashboard. */
export function dashboardUrl({ gatewayUrl, host, port }: Pick<Config, 'gatewayUrl' | 'host' | 'port'>): string {
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${gatewayUrl ?? `http://${name}:${port}`}/dashboard/`;
}
