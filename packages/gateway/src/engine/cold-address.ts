import { parseAddress, watchKeyOf } from '@crypto-checkout/chains/deposit-target';
import { evmSendingAddress } from '@crypto-checkout/chains/evm/sender';
import type { PublicKeys } from '@crypto-checkout/chains/keys';
import type { ChainId } from '@crypto-checkout/protocol/kind';
import { sql } from 'kysely';
import { ConfigError, type Config } from '../config.ts';
import type { Db } from '../database/database.ts';

/**
 * A cold address of these keys would be no cold address, and its money would be in no book.
 * @throws ConfigError with one sentence
 */
export async function requireColdAddresses(
  { sweepTo }: Pick<Config, 'sweepTo'>,
  keys: PublicKeys,
  db: Db,
): Promise<void> {
  const own = evmSendingAddress(keys);
  for (const [chain, text] of Object.entries(sweepTo) as [ChainId, string][]) {
    const { address } = parseAddress(chain, keys.network, text);
    const { rows } = await sql`
      select from deposit_target where watch_key = ${watchKeyOf(chain, address)} limit 1`.execute(
      db,
    );
    if (address === own || rows.length > 0)
      throw new ConfigError(
        `SWEEP_TO of ${chain} is ${text}, an address of this service's own keys: name a cold address.`,
      );
  }
}
