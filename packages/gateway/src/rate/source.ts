import type { Amount } from '@crypto-checkout/protocol/amount';
import { parseJsonLosslessly } from './decimal.ts';

/** A price of a source. Bid and ask are equal for sources without a spread. */
export interface Quote {
  /** Our symbol of the priced coin or currency. */
  symbol: string;
  /**
   * Currency of the price. Most Binance markets trade against USDT, which is never assumed to be
   * one dollar.
   */
  currency: 'USD' | 'USDT';
  bid: Amount;
  ask: Amount;
  /** Real time given by the source, milliseconds since the epoch; null without one. */
  at: number | null;
}

/** A public source of prices: its URLs, its symbols and the parser of its answers. */
export interface RateSource {
  name: string;
  /** Requested in parallel; `read` receives the answers in this order. */
  urls: readonly string[];
  /** Our symbols that it may price, used to find symbols with a single source. */
  symbols: readonly string[];
  /** Maximum age of its prices. Default: 5 minutes. */
  maxAgeMs?: number;
  /**
   * Parses the answers (numbers are strings); skips unknown symbols and invalid prices.
   * @throws Error for an unexpected shape or an error answer
   */
  read(answers: readonly unknown[]): Quote[];
}

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** Requests a source once. @throws Error without a valid answer */
export async function askSource(source: RateSource, send: typeof fetch): Promise<Quote[]> {
  return source.read(await Promise.all(source.urls.map((url) => ask(url, send))));
}

async function ask(url: string, send: typeof fetch): Promise<unknown> {
  try {
    return await read(url, send);
  } catch (error) {
    throw new Error(`${new URL(url).host}: ${reasonOf(error)}`, { cause: error });
  }
}

/** `fetch` says "fetch failed"; its cause has the system's code, such as ENOTFOUND. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause, message } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : null;
  return code === null ? message : `${message} (${code})`;
}

async function read(url: string, send: typeof fetch): Promise<unknown> {
  const response = await send(url, {
    headers: { accept: 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
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
