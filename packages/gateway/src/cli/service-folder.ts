import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';

/**
 * A folder that no service ever used is a mistake in what was typed: everything would be begun anew there, and nothing found.
 * @throws ConfigError
 */
export function requireServiceFolder({ dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>): void {
  if (databaseUrl !== null || existsSync(join(dataDir, 'postgres'))) return;
  throw new ConfigError(
    `No service has its database in ${dataDir}. Set DATA_DIR or DATABASE_URL as the service has it, or start the service there first.`,
  );
}
