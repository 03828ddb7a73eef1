import { createBook } from './book.ts';
import type { Exchange } from './exchange.ts';

/** The exchanges that there are; a real one is a line here. */
export function openExchanges(around: Parameters<typeof createBook>[0]): Map<string, Exchange> {
  return new Map([createBook(around)].map((exchange) => [exchange.id, exchange]));
}
