import type { Logger } from 'pino';
import { type Config, ConfigError } from '../config.ts';
import type { Clock } from '../context.ts';
import { fixedRates } from './fixed-rates.ts';
import { liveRates } from './live-rates.ts';
import type { RateBook } from './rate-book.ts';

/**
 * Opens the configured rates.
 * @throws ConfigError as `requireRates`
 */
export function openRates(options: {
  config: Pick<Config, 'rates'>;
  network: 'mainnet' | 'testnet';
  clock: Clock;
  log: Pick<Logger, 'warn'>;
}): RateBook {
  requireRates(options.config, options.network);
  return options.config.rates === 'live' ? liveRates(options) : fixedRates(options.clock);
}

/** @throws ConfigError for fixed rates on a main network, which would sell at invented prices */
export function requireRates(
  { rates }: Pick<Config, 'rates'>,
  network: 'mainnet' | 'testnet',
): void {
  if (rates !== 'live' && network === 'mainnet')
    throw new ConfigError('RATES must be live on a main network.');
}
