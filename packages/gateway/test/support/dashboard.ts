import type { Hono } from 'hono';
import type { Context } from '../../src/context.ts';
import type { Env } from '../../src/http/env.ts';
import { createLoginLink } from '../../src/dashboard/login-link.ts';

/** Headers of a browser on the dashboard's own page. */
export const OWN = {
  'Sec-Fetch-Site': 'same-origin',
  Origin: 'http://localhost',
  'X-Dashboard': '1',
};

export interface Asked {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks into any answer
  body: any;
  headers: Headers;
}

export interface Browser {
  cookie: string | null;
  /** Sends a request of the dashboard's page and stores the cookies of the answer. */
  ask(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string | undefined>,
  ): Promise<Asked>;
}

/** A browser on the dashboard without a session. */
export function testBrowser(app: Hono<Env>): Browser {
  const browser: Browser = {
    cookie: null,
    async ask(method, path, body, headers = {}) {
      const entries = Object.entries({
        ...OWN,
        ...(browser.cookie === null ? {} : { Cookie: browser.cookie }),
        ...headers,
      });
      const defined = Object.fromEntries(
        entries.filter((entry): entry is [string, string] => entry[1] !== undefined),
      );
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await app.request(`/dashboard/api/${path}`, {
        method,
        headers: defined,
        ...text,
      });
      const set = answer.headers.get('set-cookie');
      if (set !== null)
        browser.cookie = set.includes('Max-Age=0') ? null : set.slice(0, set.indexOf(';'));
      return { status: answer.status, body: await answer.json(), headers: answer.headers };
    },
  };
  return browser;
}

/** The token of a new login link. */
export async function testLink(
  context: Context,
  accountId: string,
  email: string | null = null,
): Promise<string> {
  const { url } = await createLoginLink(context, { accountId, email });
  return new URL(url).hash.slice(1);
}

/** A browser with a signed-in operator. */
export async function signedIn(
  app: Hono<Env>,
  context: Context,
  accountId: string,
  email: string | null = null,
): Promise<Browser> {
  const browser = testBrowser(app);
  const { status } = await browser.ask('POST', 'sign-in/', {
    token: await testLink(context, accountId, email),
  });
  if (status !== 200) throw new Error(`Sign-in failed with status ${status}`);
  return browser;
}
