import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '../config.ts';

/**
 * Refuses a data folder that no service has used: the command would start everything anew there.
 * @throws ConfigError
 */
export function requireServiceFolder({
  dataDir,
  databaseUrl,
}: Pick<Config, 'dataDir' | 'databaseUrl'>): void {
  if (databaseUrl !== null || existsSync(join(dataDir, 'postgres'))) return;
  throw new ConfigError(
    `No service has its database in ${dataDir}. Set DATA_DIR or DATABASE_URL as the service has it, or start the service there first.`,
  );
}
