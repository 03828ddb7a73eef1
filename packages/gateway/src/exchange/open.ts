import { createBuiltInExchange } from './built-in.ts';
import type { Exchange } from './exchange.ts';

/** The available exchanges; add further ones here. */
export function openExchanges(
  context: Parameters<typeof createBuiltInExchange>[0],
): Map<string, Exchange> {
  return new Map([createBuiltInExchange(context)].map((exchange) => [exchange.id, exchange]));
}
