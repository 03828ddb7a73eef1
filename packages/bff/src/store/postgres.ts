import pg from 'pg';
import { type Entry, type Store, StoreError, requireKey } from './store.ts';

export interface PostgresStoreOptions {
  databaseUrl: string;
  /** Separates several shops in one database: the id of the profile. */
  namespace: string;
  /** Seconds that a database may need to start. Default 10. */
  attempts?: number;
  /** Maximum number of connections. Default 5. */
  connections?: number;
  /** Called when a connection is lost; the store reconnects. */
  onError?: (error: Error) => void;
}

const CHANNEL = 'crypto_checkout_bff';
const TIMEOUT_MS = 2_000;
const RECONNECT_MS = 1_000;
const ATTEMPTS = 10;

/** Stores entries in one table of a PostgreSQL database, for several processes. */
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
  // Without a listener, a restart of the database would end this process.
  pool.on('error', onError);

  const query: Query = async (text, values) => {
    try {
      return await pool.query(text, values);
    } catch (error) {
      throw new StoreError('the database did not answer', { cause: error });
    }
  };

  try {
    await patiently(() => createTable(pool), options.attempts ?? ATTEMPTS);
  } catch (error) {
    await pool.end();
    throw new StoreError(sentenceOf(error), { cause: error });
  }

  const stops = new Set<() => void>();
  return {
    ...entryMethods(query, namespace),
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
      await query('select 1', []);
    },
    async close() {
      for (const stop of stops) stop();
      await pool.end();
    },
  };
}

/** A database server that starts at the same time may need a moment. */
async function patiently(work: () => Promise<void>, attempts: number): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attempts || !isUnreachable(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
    }
  }
}

const UNREACHABLE =
  /^(08...|57P0[1-5]|53300|ECONN\w+|ENOENT|ETIMEDOUT|E\w+UNREACH|ENOTFOUND|EAI_AGAIN)$/;

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

function isUnreachable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isUnreachable);
  const isSlow = error instanceof Error && /timeout|terminated/.test(error.message);
  return isSlow || UNREACHABLE.test(codeOf(error));
}

function sentenceOf(error: unknown): string {
  const reasons = error instanceof AggregateError ? error.errors : [error];
  const said = reasons.map((one) => (one instanceof Error ? one.message : String(one))).join('; ');
  const verb = isUnreachable(error) ? 'reached' : 'used';
  const remedy =
    codeOf(error) === 'ENOTFOUND' ? '; in its password, @, / and # must be percent-encoded' : '';
  return `The database of DATABASE_URL can't be ${verb}: ${said}${remedy}.`;
}

type Query = <Row extends pg.QueryResultRow>(
  text: string,
  values: unknown[],
) => Promise<pg.QueryResult<Row>>;

function entryMethods(
  query: Query,
  namespace: string,
): Pick<Store, 'read' | 'write' | 'remove' | 'replaceDamaged' | 'list'> {
  return {
    async read(key) {
      requireKey(key);
      const { rows } = await query<{ value: string; revision: string }>(
        'select value, revision from crypto_checkout_bff where namespace = $1 and key = $2',
        [namespace, key],
      );
      const row = rows[0];
      return row ? ({ value: row.value, revision: Number(row.revision) } satisfies Entry) : null;
    },
    async write(key, value, revision) {
      requireKey(key);
      const { rowCount } = await query(
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
      await query('delete from crypto_checkout_bff where namespace = $1 and key = $2', [
        namespace,
        key,
      ]);
    },
    async replaceDamaged(key, damaged, value) {
      requireKey(key);
      const { rowCount } = await query(
        `with found as (
           select value, revision from crypto_checkout_bff
           where namespace = $1 and key = $2 and value = $3 for update),
         kept as (
           insert into crypto_checkout_bff (namespace, key, value, revision)
           select $1, $2 || '.damaged', value, revision from found
           on conflict (namespace, key) do update set value = excluded.value),
         removed as (
           delete from crypto_checkout_bff
           where namespace = $1 and key = $2 and $4::text is null and exists (select from found)),
         replaced as (
           update crypto_checkout_bff set value = $4, revision = revision + 1
           where namespace = $1 and key = $2 and $4::text is not null and exists (select from found))
         select pg_notify('${CHANNEL}', $1 || ' ' || $2) from found`,
        [namespace, key, damaged, value],
      );
      return rowCount === 1;
    },
    async list(prefix, after, limit) {
      const { rows } = await query<{ key: string }>(
        `select key from crypto_checkout_bff
         where namespace = $1 and starts_with(key, $2) and not key like '%.damaged' and key > $3 collate "C" order by key collate "C" limit $4`,
        [namespace, prefix, after, limit],
      );
      return rows.map(({ key }) => key);
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
  // Two processes may create the table at once. One then fails on a unique index of the catalogue,
  // and succeeds in the second attempt.
  await create().catch(create);
}

/**
 * Listens for writes of other processes, and reconnects. Polling covers writes that are missed
 * meanwhile.
 */
function listen(
  databaseUrl: string,
  onError: (error: Error) => void,
  onPayload: (payload: string) => void,
): () => void {
  let stopped = false;
  let client: pg.Client | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const connect = async (): Promise<void> => {
    const connection = new pg.Client({
      connectionString: databaseUrl,
      connectionTimeoutMillis: TIMEOUT_MS,
      application_name: CHANNEL,
    });
    client = connection;
    connection.on('notification', ({ payload }) => onPayload(payload ?? ''));
    connection.on('error', (error) => {
      onError(error);
      reconnect();
    });
    connection.on('end', reconnect);
    try {
      await connection.connect();
      await connection.query(`listen ${CHANNEL}`);
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
      reconnect();
    }
    if (stopped) await connection.end().catch(() => undefined);
  };
  const reconnect = (): void => {
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
