import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { requireSameSecrets } from './account/first-start.ts';
import { createSecrets, loadSecretsKey } from './account/secrets.ts';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { openChains } from './engine/open-chains.ts';
import { type MovableClock, movableClock } from './sandbox/clock.ts';
import { addMissingChains } from './sandbox/genesis.ts';
import { createSandboxSenders } from './sandbox/send.ts';
import type { WorldOptions } from './sandbox/world.ts';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { type Config, ConfigError } from './config.ts';
import type { Context } from './context.ts';
import { requireDataDir } from './data-dir.ts';
import { type Database, type Db, openDatabase } from './database/database.ts';
import { endLeases } from './database/lease.ts';
import { errorCode, isUnreachable, reasonOf } from './database/transact.ts';
import { openExchanges } from './exchange/open.ts';
import { createOutbound } from './outbound/outbound.ts';
import { openRates, requireRates } from './rate/open-rates.ts';
import { requireSafeOwnAddresses } from './http/own-address.ts';
import { openChecks } from './risk/open.ts';

export interface Composed {
  context: Context;
  close(): Promise<void>;
  /** After a failed start: closes what this start opened, and nothing that was running before. */
  abandon(): Promise<void>;
}

export interface ContextOptions {
  /** For work beside a running service on the same database. Default false. */
  beside?: boolean;
}

/** Builds the context of a running service from its settings. */
export async function createContext(
  config: Config,
  log: Logger,
  { beside = false }: ContextOptions = {},
): Promise<Composed> {
  requireDataDir(config);
  if (config.databaseUrl === null && !existsSync(join(config.dataDir, 'postgres')))
    requireUnusedFolder(config);
  const database = await open(config, log);
  try {
    const { db } = database;
    // An embedded database has one process: leases from before belong to a process that ended.
    if (config.databaseUrl === null && !beside) await endLeases(db);
    const isUsed = await isUsedDatabase(db);
    if (!isUsed) requireUnusedFolder(config);
    const { chains, keys, network, senders, signer, openLate } = await openChains({
      config,
      db,
      log,
      isUsed,
      requireSettings(of) {
        requireRates(config, of);
        if (of === 'mainnet' && !beside) requireSafeOwnAddresses(config);
      },
    });
    const secrets = createSecrets(loadSecretsKey(config, { mustExist: isUsed }));
    await requireSameKeys(db, keys.fingerprint, config.keysMode);
    await requireSameSecrets({ db, secrets });
    await addMissingChains(db, simulatedIn(chains));
    const testnet = network === 'testnet';
    const clock = testnet ? await sandboxClock(db) : { now: Date.now, real: Date.now };
    const ids = {
      uuid: randomUUID,
      bytes: (length: number) => new Uint8Array(randomBytes(length)),
    };
    const rates = openRates({ config, network, clock, log });
    const context: Context = {
      config,
      network,
      db,
      databaseAnswers: () => database.answers(),
      clock,
      ids,
      secrets,
      outbound: createOutbound({ allow: config.outboundAllow, allowHttp: testnet }),
      chains,
      senders: addSandbox(senders, chains, { db, clock, ids }),
      openLateChains: openLate,
      signer,
      rates,
      ...openChecks({ config, db, chains }),
      exchanges: openExchanges({ config, db, rates, clock, chains }),
      log,
    };
    return {
      context,
      async close() {
        for (const adapter of chains.values()) adapter.close?.();
        await database.close();
      },
      abandon: () => database.abandon(),
    };
  } catch (error) {
    await database.abandon();
    throw error;
  }
}

/** A simulated chain is also sent on by simulation. Senders of late chains join the same map. */
function addSandbox(
  senders: Map<ChainId, ChainSender>,
  chains: Context['chains'],
  options: WorldOptions,
): Map<ChainId, ChainSender> {
  for (const [chain, sender] of createSandboxSenders(options))
    if (chains.get(chain)?.source === 'sandbox') senders.set(chain, sender);
  return senders;
}

async function sandboxClock(db: Db): Promise<MovableClock> {
  const clock = movableClock(db);
  await clock.read();
  return clock;
}

/**
 * The addresses of a database come from one set of keys: with other keys, the same indexes would be
 * given out again.
 */
export async function requireSameKeys(
  db: Db,
  fingerprint: string,
  keysMode: Config['keysMode'] = 'local',
): Promise<void> {
  await sql`
    insert into setting (name, value) values ('keys_fingerprint', ${JSON.stringify(fingerprint)}) on conflict do nothing`.execute(
    db,
  );
  // A separate statement: one that waited for another process's insert does not see that row.
  const { rows } = await sql<{
    value: string;
  }>`select value from setting where name = 'keys_fingerprint'`.execute(db);
  if (rows[0]?.value === fingerprint) return;
  throw new ConfigError(
    keysMode === 'local'
      ? 'The database was used with other keys; restore its keys.json into DATA_DIR, or use another DATABASE_URL.'
      : "The database was used with other keys than PUBLIC_KEYS_FILE has: put its keys.json into the signer's folder and print PUBLIC_KEYS_FILE anew, or use another DATABASE_URL.",
  );
}

/** Whether a service has given out addresses with this database, or was about to. */
async function isUsedDatabase(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from setting where name in ('keys_fingerprint', 'first_start')`.execute(db);
  return rows.length > 0;
}

/** With an empty database, the keys of a used folder would give out the same addresses again. */
function requireUnusedFolder({ dataDir }: Config): void {
  if (existsSync(join(dataDir, 'credentials.json')))
    throw new ConfigError(
      `DATA_DIR ${dataDir} was used with another database: set DATABASE_URL to it, or use another DATA_DIR.`,
    );
}

const OPEN_ATTEMPTS = 10;

/** A database server that starts at the same time may need a moment. */
async function open(config: Config, log: Logger): Promise<Database> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await openDatabase(config, log);
    } catch (error) {
      const reason = reasonOf(error);
      if (config.databaseUrl !== null && isRefusal(error))
        throw new ConfigError(`The database of DATABASE_URL can't be used: ${reason}.`, {
          cause: error,
        });
      if (!isUnreachable(error)) throw error;
      if (attempt === OPEN_ATTEMPTS)
        throw new ConfigError(
          `The database of DATABASE_URL can't be reached: ${reason}${remedyOf(error)}.`,
          { cause: error },
        );
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

/** The part of a password behind an @ that is not encoded is read as the host. */
const remedyOf = (error: unknown): string =>
  errorCode(error) === 'ENOTFOUND' ? '; in its password, @, / and # must be percent-encoded' : '';

/**
 * Unknown database or user, wrong password, missing privilege, a read-only server, or no common
 * encryption.
 */
function isRefusal(error: unknown): boolean {
  if (/^(28...|3D000|42501|25006|0A000)$/.test(errorCode(error) ?? '')) return true;
  return error instanceof Error && /\bSSL\b|\bSASL\b|certificate/.test(error.message);
}

const simulatedIn = (chains: Context['chains']): ChainId[] =>
  [...chains.values()].flatMap(({ chain, source }) => (source === 'sandbox' ? [chain] : []));
