import pg from 'pg';

/**
 * Whether a server answers a query within this time. A connection of its own, so that a full pool
 * is not mistaken for a lost database.
 */
export async function answersWithin(
  timeoutMs: number,
  server: Pick<pg.ClientConfig, 'host' | 'port' | 'user' | 'database' | 'connectionString'>,
): Promise<boolean> {
  const client = new pg.Client({
    ...server,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    // A lost server may never answer this.
    client.end().catch(() => {});
  }
}
