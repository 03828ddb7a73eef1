import pg from 'pg';
import { type Entry, type Store, StoreError, requireKey } from './store.ts';

export interface PostgresStoreOptions {
  databaseUrl: string;
  /** Keeps the entries of several shops in one database apart; the profile's id. */
  namespace: string;
  /** Connections at most. Default 5. */
  connections?: number;
  /** Told about a lost connection; the store goes on by itself. */
  onError?: (error: Error) => void;
}

const CHANNEL = 'crypto_checkout_bff';
const TIMEOUT_MS = 2_000;
const RECONNECT_MS = 1_000;

/** Keeps entries in one table of a PostgreSQL database, for several processes that share the load. */
export async function createPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { databaseUrl, namespace, connections = 5, onError = () => undefined } = options;
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: connections,
    connectionTimeoutMillis: TIMEOUT_MS,
    statement_timeout: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    application_name: 'crypto-checkout-bff',
  });
  // Without a listener a restart of the database ends the process.
  pool.on('error', onError);

  const ask = async <Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<pg.QueryResult<Row>> => {
    try {
      return await pool.query<Row>(text, values);
    } catch (error) {
      throw new StoreError('the database did not answer', { cause: error });
    }
  };

  try {
    await createTable(pool);
  } catch (error) {
    await pool.end();
    throw new StoreError('the database could not be prepared', { cause: error });
  }

  const stops = new Set<() => void>();
  return {
    async read(key) {
      requireKey(key);
      const { rows } = await ask<{ value: string; revision: string }>(
        'select value, revision from crypto_checkout_bff where namespace = $1 and key = $2',
        [namespace, key],
      );
      const row = rows[0];
      return row ? ({ value: row.value, revision: Number(row.revision) } satisfies Entry) : null;
    },
    async write(key, value, revision) {
      requireKey(key);
      const { rowCount } = await ask(
        revision === 0
          ? `with written as (
               insert into crypto_checkout_bff (namespace, key, value, revision) values ($1, $2, $3, $4::bigint + 1)
               on conflict do nothing returning key)
             select pg_notify('${CHANNEL}', $1 || ' ' || key) from written`
          : `with written as (
               update crypto_checkout_bff set value = $3, revision = revision + 1
               where namespace = $1 and key = $2 and revision = $4::bigint returning key)
             select pg_notify('${CHANNEL}', $1 || ' ' || key) from written`,
        [namespace, key, value, revision],
      );
      return rowCount === 1;
    },
    async remove(key) {
      await ask('delete from crypto_checkout_bff where namespace = $1 and key = $2', [namespace, key]);
    },
    async list(prefix, after, limit) {
      const { rows } = await ask<{ key: string }>(
        `select key from crypto_checkout_bff
         where namespace = $1 and starts_with(key, $2) and key > $3 collate "C" order by key collate "C" limit $4`,
        [namespace, prefix, after, limit],
      );
      return rows.map(({ key }) => key);
    },
    watch(listener) {
      const stop = listen(databaseUrl, onError, (payload) => {
        const [space = '', key = ''] = payload.split(' ');
        if (space === namespace) listener(key);
      });
      stops.add(stop);
      return () => {
        stops.delete(stop);
        stop();
      };
    },
    async check() {
      await ask('select 1', []);
    },
    async close() {
      for (const stop of stops) stop();
      await pool.end();
    },
  };
}

async function createTable(pool: pg.Pool): Promise<void> {
  const create = () =>
    pool.query(`create table if not exists crypto_checkout_bff (
      namespace text not null,
      key text collate "C" not null,
      value text not null,
      revision bigint not null,
      primary key (namespace, key))`);
  // Two processes that create it at once: one of them fails on the catalogue's own unique index, and finds it there the next time.
  await create().catch(create);
}

/** Hears what other processes write. A lost connection is made again; what was missed is read again at the next look. */
function listen(databaseUrl: string, onError: (error: Error) => void, heard: (payload: string) => void): () => void {
  let stopped = false;
  let client: pg.Client | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const connect = async (): Promise<void> => {
    const mine = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: TIMEOUT_MS, application_name: CHANNEL });
    client = mine;
    mine.on('notification', ({ payload }) => heard(payload ?? ''));
    mine.on('error', (error) => {
      onError(error);
      again();
    });
    mine.on('end', again);
    try {
      await mine.connect();
      await mine.query(`listen ${CHANNEL}`);
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
      again();
    }
    if (stopped) await mine.end().catch(() => undefined);
  };
  const again = (): void => {
    if (stopped || timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      void connect();
    }, RECONNECT_MS);
    timer.unref();
  };

  void connect();
  return () => {
    stopped = true;
    clearTimeout(timer);
    client?.end().catch(() => undefined);
  };
}
