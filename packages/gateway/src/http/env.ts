import type { HttpBindings } from '@hono/node-server';
import type { Payload } from '@crypto-checkout/protocol/signature';
import type { Session } from '../dashboard/store.ts';

/** Whose request it is, after authentication. */
export interface Account {
  id: string;
  name: string;
  isTestnet: boolean;
}

/** Who asks, before it is known whose request it is. */
export interface Caller {
  requestId: string;
  /** Behind trusted proxies the address that they forward. */
  address: string;
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
    /** With every request. Four variables fit into the table that they are kept in; a fifth makes a greater one. */
    caller: Caller;
    account: Account;
    key: Key;
    payload: Payload;
    /** Behind the dashboard's sign-in only, which sets `account` too. */
    session: Session;
  };
}
