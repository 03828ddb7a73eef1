import type { Logger } from 'pino';
import { type Config, ConfigError } from '../config.ts';
import type { Clock } from '../context.ts';
import { fixedRates } from './fixed-rates.ts';
import { liveRates } from './live-rates.ts';
import type { RateBook } from './rate-book.ts';

/**
 * Opens the configured rates.
 * @throws ConfigError for fixed rates on mainnet, which would sell at invented prices
 */
export function openRates(options: {
  config: Pick<Config, 'rates'>;
  network: 'mainnet' | 'testnet';
  clock: Clock;
  log: Pick<Logger, 'warn'>;
}): RateBook {
  if (options.config.rates === 'live') return liveRates(options);
  if (options.network === 'mainnet') throw new ConfigError('RATES must be live on a main network.');
  return fixedRates(options.clock);
}
