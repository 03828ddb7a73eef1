import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { createSecrets, loadSecretsKey } from './account/secrets.ts';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { openChains } from './chain/open.ts';
import { type MovableClock, movableClock } from './chain/sandbox/clock.ts';
import { createSandboxSenders } from './chain/sandbox/send.ts';
import type { WorldOptions } from './chain/sandbox/world.ts';
import type { ChainSender } from './chain/sender.ts';
import { type Config, ConfigError } from './config.ts';
import type { Context } from './context.ts';
import { requireDataDir } from './data-dir.ts';
import { type Database, type Db, openDatabase } from './database/database.ts';
import { endLeases } from './database/lease.ts';
import { errorCode, isUnreachable, reasonOf } from './database/transact.ts';
import { openExchanges } from './exchange/open.ts';
import { createOutbound } from './http/outbound.ts';
import { openRates } from './rate/open-rates.ts';
import { openChecks } from './risk/open.ts';

export interface Composed {
  context: Context;
  close(): Promise<void>;
  /** After a start that failed: ends what this start began, and nothing that it found running. */
  abandon(): Promise<void>;
}

export interface ContextOptions {
  /** For work beside a service that may be running on the same database. Default false. */
  beside?: boolean;
}

/** Makes the context of a running service from its settings. */
export async function createContext(config: Config, log: Logger, { beside = false }: ContextOptions = {}): Promise<Composed> {
  requireDataDir(config);
  const secrets = createSecrets(loadSecretsKey(config));
  const database = await open(config, log);
  try {
    const { db } = database;
    // Nobody else works on an embedded database; a lease from before was its holder's last.
    if (config.databaseUrl === null && !beside) await endLeases(db);
    const { chains, keys, network, senders, signer } = await openChains({ config, db, log, now: () => clock.now() });
    await requireSameKeys(db, keys.fingerprint);
    const testnet = network === 'testnet';
    const clock = testnet ? await sandboxClock(db) : { now: Date.now, real: Date.now };
    const ids = { uuid: randomUUID, bytes: (length: number) => new Uint8Array(randomBytes(length)) };
    const rates = openRates({ config, network, clock, log });
    const context: Context = {
      config,
      db,
      databaseAnswers: () => database.answers(),
      clock,
      ids,
      secrets,
      outbound: createOutbound({ allow: config.outboundAllow, allowHttp: testnet }),
      chains,
      senders: withSandbox(senders, chains, { db, clock, ids }),
      signer,
      rates,
      ...openChecks({ config, db, chains }),
      exchanges: openExchanges({ config, db, rates, clock, chains }),
      log,
    };
    return { context, close: () => database.close(), abandon: () => database.abandon() };
  } catch (error) {
    await database.abandon();
    throw error;
  }
}

/** Where a chain is simulated, sending is too. */
function withSandbox(senders: Map<ChainId, ChainSender>, chains: Context['chains'], options: WorldOptions): Map<ChainId, ChainSender> {
  const simulated = [...createSandboxSenders(options)].filter(([chain]) => chains.get(chain)?.source === 'sandbox');
  return new Map([...simulated, ...senders]);
}

async function sandboxClock(db: Db): Promise<MovableClock> {
  const clock = movableClock(db);
  await clock.read();
  return clock;
}

/** Addresses of one database come from one set of keys: with others, their numbers would start to be given out again. */
export async function requireSameKeys(db: Db, fingerprint: string): Promise<void> {
  await sql`
    insert into setting (name, value) values ('keys_fingerprint', ${JSON.stringify(fingerprint)}) on conflict do nothing`.execute(db);
  // A statement of its own: one that waited for another process's insert does not see that row itself.
  const { rows } = await sql<{ value: string }>`select value from setting where name = 'keys_fingerprint'`.execute(db);
  if (rows[0]?.value === fingerprint) return;
  throw new ConfigError('The database was used with other keys; restore its keys.json into DATA_DIR, or use another DATABASE_URL.');
}

const OPEN_ATTEMPTS = 10;

/** A database server that is started beside us may take a moment. */
async function open(config: Config, log: Logger): Promise<Database> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await openDatabase(config, log);
    } catch (error) {
      const reason = reasonOf(error);
      if (config.databaseUrl !== null && isRefusal(error))
        throw new ConfigError(`The database of DATABASE_URL can't be used: ${reason}.`, { cause: error });
      if (!isUnreachable(error)) throw error;
      if (attempt === OPEN_ATTEMPTS) throw new ConfigError(`The database of DATABASE_URL can't be reached: ${reason}.`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

/** No such database, user, password or right, a server that only reads, or no encryption that both sides accept. */
function isRefusal(error: unknown): boolean {
  if (/^(28...|3D000|42501|25006|0A000)$/.test(errorCode(error) ?? '')) return true;
  return error instanceof Error && /\bSSL\b|\bSASL\b|certificate/.test(error.message);
}
