import type { Context as HonoContext, MiddlewareHandler } from 'hono';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { timestamp } from '../database/timestamp.ts';
import { addressGroup } from '../http/address.ts';
import type { Env } from '../http/env.ts';
import type { Limits } from '../http/rate-limit.ts';
import { readBody } from './body.ts';
import { readCookie, sessionCookie } from './cookie.ts';
import { deleteSession, exchangeLink, findSession } from './store.ts';
import { hashToken, newToken } from './token.ts';

/** An idle session ends after this time. */
export const IDLE_MS = 60 * 60 * 1000;
/** A session ends after a working day, used or not. */
export const ABSOLUTE_MS = 12 * 60 * 60 * 1000;
/** Precision of the last use: not every request writes a row. */
const SEEN_EVERY_MS = 60 * 1000;

const signInSchema = z.object({ token: z.string().max(200) });

/** Exchanges a link's token for a session: always a new one, whatever cookie the browser had. */
export async function signIn(
  c: HonoContext<Env>,
  context: Context,
  limits: Limits,
): Promise<Response> {
  const { token: given } = await readBody(c, signInSchema);
  const { config, db, clock, ids } = context;
  const { token, hash } = newToken(ids);
  const now = clock.real();
  const old = readCookie(config, c.req.header('cookie'));
  const opened = await exchangeLink(db, {
    linkHash: hashToken(given),
    sessionHash: hash,
    oldSessionHash: old === null ? null : hashToken(old),
    now: timestamp(now),
    endsAt: timestamp(now + ABSOLUTE_MS),
  });
  if (!opened) {
    limits.countFailure(addressGroup(c.get('caller').address), now);
    return refuse(
      c,
      'LinkNotValid',
      'This link was used, has expired, or never existed. Ask for a new one: it is good for ten minutes, once.',
    );
  }
  context.log.info(
    {
      event: 'dashboard_signed_in',
      address: c.get('caller').address,
      request_id: c.get('caller').requestId,
    },
    'sign-in to the dashboard',
  );
  return c.json({ result: 'success' }, 200, {
    'Set-Cookie': sessionCookie(config, token, ABSOLUTE_MS / 1000),
  });
}

/** Requires a session; everything behind it is limited to the session's account. */
export function requireSession(context: Context, limits: Limits): MiddlewareHandler<Env> {
  const { config, db, clock } = context;
  return async (c, next) => {
    const token = readCookie(config, c.req.header('cookie'));
    const now = clock.real();
    const times = {
      now: timestamp(now),
      idleSince: timestamp(now - IDLE_MS),
      seenBefore: timestamp(now - SEEN_EVERY_MS),
    };
    const session = token === null ? null : await findSession(db, hashToken(token), times);
    if (!session)
      return refuse(
        c,
        'NotSignedIn',
        'You are not signed in, or your session has ended: open a new sign-in link.',
      );
    limits.requireKey(session.tokenHash, now);
    c.set('session', session);
    c.set('account', session.account);
    // Filters are read like those of the signed API, which may come in a payload.
    c.set('payload', {});
    return next();
  };
}

export async function signOut(c: HonoContext<Env>, { config, db }: Context): Promise<Response> {
  await deleteSession(db, c.get('session').tokenHash);
  return c.json({ result: 'success' }, 200, { 'Set-Cookie': sessionCookie(config, '', 0) });
}

/** 401 with a reason of the dashboard's own; the API's reasons are about keys. */
function refuse(c: HonoContext<Env>, reason: string, message: string): Response {
  return c.json({ result: 'error', reason, message, request_id: c.get('caller').requestId }, 401);
}

/** The name that decisions carry. */
export const nameOf = (c: HonoContext<Env>): string =>
  c.get('session').email ?? 'Operator (dashboard)';
