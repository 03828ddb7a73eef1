import type { HttpBindings } from '@hono/node-server';
import type { Payload } from '@crypto-checkout/protocol/signature';
import type { Session } from '../dashboard/store.ts';

/** Whose request it is, after authentication. */
export interface Account {
  id: string;
  name: string;
  isTestnet: boolean;
}

/** With which key, and what it may do. */
export interface Key {
  id: string;
  accountId: string;
  permissions: Pick<ReadonlySet<string>, 'has'>;
  maxPayout: string | null;
  isIntegratorKey: boolean;
}

/**
 * What a route handler finds with `c.get(…)`; `account`, `key` and `payload` behind `authorized(…)` only. `c.var` has them too, and
 * copies all of them each time that it is asked (measured: 0.6 µs).
 */
export interface Env {
  Bindings: Partial<HttpBindings>;
  Variables: {
    requestId: string;
    /** The caller's address, behind trusted proxies the one they forward. */
    address: string;
    account: Account;
    key: Key;
    payload: Payload;
    /** Behind the dashboard's sign-in only, which sets `account` too. */
    session: Session;
  };
}
