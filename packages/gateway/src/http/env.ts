import type { HttpBindings } from '@hono/node-server';
import type { Payload } from '@crypto-checkout/protocol/signature';

/** The account of the request, after authentication. */
export interface Account {
  id: string;
  name: string;
  isTestnet: boolean;
}

/** Facts about the caller before authentication. */
export interface Caller {
  requestId: string;
  /** The address that trusted proxies forward. */
  address: string;
}

/** The key of the request and its permissions. */
export interface Key {
  id: string;
  accountId: string;
  permissions: Pick<ReadonlySet<string>, 'has'>;
  maxPayout: string | null;
  /** USD of its payouts without approval within 24 hours; null for no limit. */
  maxPayoutDaily: string | null;
  isIntegratorKey: boolean;
}

/** A sign-in of the dashboard. */
export interface Session {
  tokenHash: string;
  account: { id: string; name: string; isTestnet: boolean };
  /** The person's e-mail address, where the link named one. */
  email: string | null;
  /** Absolute end of the session. Real time. */
  endsAt: string;
}

/**
 * Variables of a route handler for `c.get(…)`; `account`, `key` and `payload` exist behind
 * `authorized(…)` only. `c.var` copies all of them at each access (measured: 0.6 µs).
 */
export interface Env {
  Bindings: Partial<HttpBindings>;
  Variables: {
    /**
     * Set for every request. Four variables fit into the map's first table; a fifth makes it grow.
     */
    caller: Caller;
    account: Account;
    key: Key;
    payload: Payload;
    /** Set behind the dashboard's sign-in only, which also sets `account`. */
    session: Session;
  };
}
