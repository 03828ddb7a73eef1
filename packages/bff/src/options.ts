import type { Hmac } from '@crypto-checkout/protocol/signature';
import type { InvoiceExpiration } from '@crypto-checkout/protocol/schema/invoice';
import type { Context } from 'hono';
import { isHttp, isOnramp, isSupport, ONRAMP_FORM, SUPPORT_FORM } from './http/address.ts';
import type { Network } from './http/network.ts';
import type { Catalogue } from './order/catalogue.ts';
import type { ShopEvent } from './callback/shop-event.ts';
import type { Store } from './store/store.ts';
import type { ElementFiles } from '@crypto-checkout/page';

/** What a shop or an operator says to `createBff`. */
export interface BffOptions {
  /** Address of the payment service, ours or a hosted one: `https://pay-api.example`. */
  serviceUrl: string;
  apiKey: string;
  apiSecret: string;
  /** More keys of the same account; requests are spread over all of them. Default none. */
  apiKeys?: readonly { key: string; secret: string }[];
  /** The keys were made with `nonce_window`: requests may overtake each other. Default false. */
  nonceWindow?: boolean;
  /** What callbacks are signed with. */
  callbackToken: string;
  /** The profile whose coins, expiry and callbacks apply. */
  profileId: string;
  /** Signs order tokens; ids of checkouts and envelopes derive from it. Changing it makes every open checkout unknown. */
  orderSecret: string;
  /** Opens checkouts from server to server, in `Authorization: Bearer`. */
  shopSecret: string;
  /** Address under which buyers reach these pages, without a slash at the end. */
  publicUrl: string;
  store: Store;

  /** Shown to the buyer. Default the host name of `publicUrl`. */
  merchantName?: string;
  /** The shop's help, shown to buyers: an `https:` or `mailto:` link. Default none. */
  supportUrl?: string;
  /** Origins of shop pages that hold the element. Default none. */
  embedOrigins?: readonly string[];
  /** Exact origins that a success link may lead to, whoever names it. Default none: only https links of a signed order. */
  successOrigins?: readonly string[];
  /** Fixed prices. Default none. */
  catalogue?: Catalogue;
  /** Whether a page may set a price itself; its orders are marked `unverified_price`. Default false. */
  allowClientPrices?: boolean;
  /**
   * What happens to money that came after its quote had run out: `ask`, it does not count and the shop decides; `accept`, it counts
   * at the price of its arrival. Default `ask`.
   */
  latePayments?: 'ask' | 'accept';
  /** Seconds that a quote holds for a buyer who pays from an exchange, where the profile's are fewer. Default 3600. */
  exchangeExpiration?: InvoiceExpiration;
  /** A page that sells coins for a card payment, with `{api_key}`, `{address}`, `{amount}`, `{currency}`, `{symbol}`, `{network}`. Default none. */
  onrampUrl?: string;
  /** JSON-RPC of a Solana node: with it, wallets in the buyer's browser are handed Solana payments ready to sign. Default none. */
  solanaRpcUrl?: string;
  /** Where the shop wants to be told, and the `whsec_…` secret that signs it. Default nowhere. */
  shopWebhook?: { url: string; secret: string };
  /** The same for a shop that runs in this process; a rejection means "tell me again". */
  onEvent?: (event: ShopEvent) => Promise<void>;
  /**
   * Whether the service has our extensions: signed bytes in callbacks, and renewing. Without them a callback is only a hint to
   * read again, and a new invoice takes the place of an expired one. Default true.
   */
  extensions?: boolean;
  /** Requests a second of one key, and at once; every limit is a multiple. Default 20 and 60. */
  rateLimit?: { perSecond: number; burst: number };
  /** Proxies whose `X-Forwarded-For` is believed. Default none. */
  trustedProxies?: readonly Network[];
  /** Address of the connection, on hosts that are not Node. */
  socketAddress?: (c: Context) => string | null;
  /** The built browser files. Default none: pages work without scripts, and there is no script tag. */
  elements?: { manifest: ElementFiles; files: ReadonlyMap<string, ElementFile> };

  /** What the host does better than the web platform; each has a default that works everywhere. */
  host?: HostAbilities;
  fetch?: typeof fetch;
  /** How long one request to the service may take. Default 3,500: a callback waits for it, and for the shop. */
  serviceTimeoutMs?: number;
  /** Real time, milliseconds since the epoch. Default `Date.now`. */
  now?: () => number;
  log?: Log;
}

export interface ElementFile {
  body: Uint8Array<ArrayBuffer>;
  brotli: Uint8Array<ArrayBuffer> | null;
  type: string;
}

export interface HostAbilities {
  /** Default WebCrypto. */
  hmac?: Hmac;
  /** Brotli, quality 5. Default none: answers leave uncompressed. */
  brotli?: (text: string) => Uint8Array<ArrayBuffer>;
  /** Draws dark modules as a PNG image. Default none: QR images are SVG. */
  png?: (modules: { size: number; isDark(x: number, y: number): boolean }) => Uint8Array<ArrayBuffer>;
  /**
   * Sends an event stream without the memory that a web stream costs. Answers null where it can't (not that host's request), and
   * the response to return otherwise.
   */
  stream?: (c: Context, headers: Record<string, string>, open: (sink: Sink) => () => void) => Response | null;
}

/** One open event stream. */
export interface Sink {
  /** Answers false when nobody reads any more: the reader has left, or was too slow and was cut off. */
  write(text: string): boolean;
  end(): void;
}

export interface Log {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

export const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A setting that is missing or wrong; each line of the message is one sentence for the operator. */
export class OptionsError extends Error {
  override name = 'OptionsError';
}

const MIN_SECRET = 16;

/** @throws OptionsError: nothing runs with a secret that is missing, empty or short, or with a link that leads astray */
export function requireSecrets(options: Omit<BffOptions, 'store'>): void {
  const mistakes = (
    [
      ['API_KEY', options.apiKey, 1],
      ['API_SECRET', options.apiSecret, MIN_SECRET],
      ['CALLBACK_TOKEN', options.callbackToken, MIN_SECRET],
      ['PROFILE_ID', options.profileId, 1],
      ['ORDER_SECRET', options.orderSecret, MIN_SECRET],
      ['SHOP_SECRET', options.shopSecret, MIN_SECRET],
      ...(options.shopWebhook ? [['SHOP_WEBHOOK_SECRET', options.shopWebhook.secret, MIN_SECRET] as const] : []),
    ] as const
  ).flatMap(([name, value, least]) => {
    if (typeof value !== 'string' || value.trim() === '') return [`${name} is missing: ${MEANING[name]}.`];
    return value.length < least ? [`${name} is shorter than ${least} characters: ${MEANING[name]}.`] : [];
  });
  // Both end in links on the page.
  if (options.supportUrl !== undefined && !isSupport(options.supportUrl)) mistakes.push(`SUPPORT_URL ${SUPPORT_FORM}.`);
  if (options.onrampUrl !== undefined && !isOnramp(options.onrampUrl)) mistakes.push(`ONRAMP_URL ${ONRAMP_FORM}.`);
  if (options.solanaRpcUrl !== undefined && !isHttp(options.solanaRpcUrl))
    mistakes.push('SOLANA_RPC_URL must be an http or https address.');
  if (options.orderSecret === options.shopSecret && options.orderSecret) mistakes.push('ORDER_SECRET and SHOP_SECRET must differ.');
  if (mistakes.length > 0) throw new OptionsError(mistakes.join('\n'));
}

const MEANING = {
  API_KEY: 'the key of the payment service',
  API_SECRET: 'the secret of that key, which signs every request',
  CALLBACK_TOKEN: 'callbacks from the service are verified with it',
  PROFILE_ID: 'invoices are made under this profile',
  ORDER_SECRET: 'order tokens are verified with it',
  SHOP_SECRET: 'the shop opens checkouts with it',
  SHOP_WEBHOOK_SECRET: 'what the shop is told is signed with it',
} as const;
