import type { Amount } from '@crypto-checkout/protocol/amount';
import { parseJsonLosslessly } from './decimal.ts';

/** One price of one source. Sources that give no spread have bid and ask equal. */
export interface Quote {
  /** Our symbol of what is priced. */
  symbol: string;
  /** In what: most markets of Binance trade against USDT, which is never assumed to be one dollar. */
  currency: 'USD' | 'USDT';
  bid: Amount;
  ask: Amount;
  /** Real time that the source states, milliseconds since the epoch; null when it states none. */
  at: number | null;
}

/** A public source of prices: where to ask, which of its names are ours, and how to read an answer. */
export interface RateSource {
  name: string;
  /** Asked together; the answers come to `read` in this order. */
  urls: readonly string[];
  /** Our symbols that it may price: a symbol with a single source is known to be one. */
  symbols: readonly string[];
  /** How old its prices may be. Default: 5 minutes. */
  maxAgeMs?: number;
  /**
   * Reads the answers, numbers still as text; leaves out what it does not know or can't be a price.
   * @throws Error when an answer has another shape, or is a refusal
   */
  read(answers: readonly unknown[]): Quote[];
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** Asks a source once. @throws Error when it does not answer, or with something else than its prices. */
export async function askSource(source: RateSource, send: typeof fetch): Promise<Quote[]> {
  return source.read(await Promise.all(source.urls.map((url) => ask(url, send))));
}

async function ask(url: string, send: typeof fetch): Promise<unknown> {
  const response = await send(url, { headers: { accept: 'application/json' }, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`The answer is larger than ${MAX_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return parseJsonLosslessly(text + decoder.decode());
}
