import { createHash } from 'node:crypto';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import pg from 'pg';
import { timestampFromDatabase } from './timestamp.ts';

const INT8 = 20;
const TIMESTAMPTZ = 1184;
const TEXT_ARRAY = 1009;
const NUMERIC_ARRAY = 1231;

const parseTextArray = pg.types.getTypeParser(TEXT_ARRAY as number, 'text');

/**
 * `numeric` stays text (money); 64-bit integers (heights, counts, versions) become numbers; times
 * get the wire format.
 */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8) return readInteger;
    if (oid === TIMESTAMPTZ) return timestampFromDatabase;
    // The driver's own array parser would turn numerics into doubles.
    if (oid === NUMERIC_ARRAY) return parseTextArray;
    return pg.types.getTypeParser(oid, format === 'binary' ? 'binary' : 'text');
  }) as pg.CustomTypesConfig['getTypeParser'],
};

function readInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`An integer beyond 2^53: ${text}`);
  return value;
}

export interface PoolOptions {
  /** Connection address: a URL, or host (a socket's folder), port, user and database. */
  server:
    | { connectionString: string }
    | { host: string; port: number; user: string; database: string };
  max: number;
  /** Refuses to write. Default false. */
  readOnly?: boolean;
  /** Milliseconds to wait for a connection. Default 1500. */
  acquireMs?: number;
  /** Receives errors of idle connections, which would end the process without a listener. */
  onError: (error: Error) => void;
}

/** Limits: 5 s a statement, 10 s an idle transaction, 1.5 s to get a connection. */
export function openPool({
  server,
  max,
  readOnly = false,
  acquireMs = 1_500,
  onError,
}: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    ...server,
    max,
    types,
    connectionTimeoutMillis: acquireMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: 'crypto-checkout',
    options: `-c TimeZone=UTC -c statement_timeout=5000 -c idle_in_transaction_session_timeout=10000${readOnly ? ' -c default_transaction_read_only=on' : ''}`,
  });
  pool.on('error', onError);
  // A busy client reports its end through the query, but its error event needs a listener too.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

// Enough for every fixed statement; beyond that, lists of varying length are sent unnamed.
const MAX_NAMES = 500;
const names = new Map<string, string>();

function statementName(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_NAMES) return known;
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 24);
  names.set(text, name);
  return name;
}

/** PostgreSQL refuses a prepared statement whose result columns changed with a migration. */
export const isStale = (error: unknown): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError &&
  error.code === '0A000' &&
  error.message.includes('cached plan');

class Connection implements DatabaseConnection {
  readonly client: pg.PoolClient;
  broken: Error | null = null;
  inTransaction = false;
  readonly #onStale: () => void;

  constructor(client: pg.PoolClient, onStale: () => void) {
    this.client = client;
    this.#onStale = onStale;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const name = query.parameters.length > 0 ? statementName(query.sql) : undefined;
    // The driver only reads the values.
    const values = query.parameters as unknown[];
    const unnamed = { text: query.sql, values };
    const result = await this.run(name === undefined ? unnamed : { name, ...unnamed }).catch(
      (error: unknown) => {
        // Inside a transaction the whole transaction is retried by `transact`; a single statement
        // was refused before it had an effect.
        if (this.inTransaction || !isStale(error)) throw error;
        return this.run(unnamed);
      },
    );
    return { rows: result.rows as R[], numAffectedRows: BigInt(result.rowCount ?? 0) };
  }

  async run(query: pg.QueryConfig | string): Promise<pg.QueryResult> {
    try {
      return await this.client.query(query);
    } catch (error) {
      // Only an answer of the server leaves the connection in a known state.
      if (!(error instanceof pg.DatabaseError) || error.severity === 'FATAL')
        this.broken = error as Error;
      if (isStale(error)) {
        // Its other statements may be stale too, and so may those of other connections.
        this.broken = error;
        this.#onStale();
      }
      throw error;
    }
  }

  // eslint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streams are not offered');
  }
}

/**
 * A kysely dialect over a pool, with named prepared statements; a failed connection is never
 * reused.
 */
export function poolDialect(pool: pg.Pool): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createDriver: () => driver(pool),
  };
}

function driver(pool: pg.Pool): Driver {
  // Counts schema changes; a connection belongs to the count of its first use.
  let schema = 0;
  const bornIn = new WeakMap<pg.PoolClient, number>();
  const acquire = async (): Promise<Connection> => {
    for (;;) {
      const client = await pool.connect();
      const born = bornIn.get(client) ?? schema;
      bornIn.set(client, born);
      if (born === schema)
        return new Connection(client, () => (schema = Math.max(schema, born + 1)));
      client.release(true);
    }
  };
  const run = async (
    connection: DatabaseConnection,
    text: string,
    inTransaction: boolean,
  ): Promise<void> => {
    (connection as Connection).inTransaction = inTransaction;
    await (connection as Connection).run(text);
  };
  return {
    async init() {},
    destroy: () => pool.end(),
    acquireConnection: acquire,
    releaseConnection: async (connection) => {
      const { client, broken } = connection as Connection;
      client.release(broken ?? undefined);
    },
    beginTransaction: (connection, settings) =>
      run(
        connection,
        settings.isolationLevel ? `begin isolation level ${settings.isolationLevel}` : 'begin',
        true,
      ),
    commitTransaction: (connection) => run(connection, 'commit', false),
    // A broken connection is closed, which rolls back; a query on it would hide the first error
    // behind a second.
    rollbackTransaction: async (connection) => {
      if ((connection as Connection).broken === null) await run(connection, 'rollback', false);
    },
  };
}
