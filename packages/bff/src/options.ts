import type { ShopEvent } from '@crypto-checkout/protocol/shop-event';
import type { Hmac } from '@crypto-checkout/protocol/signature';
import type { InvoiceExpiration } from '@crypto-checkout/protocol/schema/invoice';
import type { Context } from 'hono';
import { isHttpUrl } from '@crypto-checkout/protocol/schema/setting';
import { isOnrampUrl, isSupportUrl, ONRAMP_URL_RULE, SUPPORT_URL_RULE } from './http/url-rules.ts';
import type { Network } from './http/network.ts';
import { type MerchantCompany, type MerchantImage, merchantMistakes } from './merchant/merchant.ts';
import type { Catalogue } from './orders/catalogue.ts';
import type { Store } from './store/store.ts';
import type { ElementFiles } from '@crypto-checkout/page';

/** Options of `createBff`. */
export interface BffOptions {
  /** Address of the payment service: `https://pay-api.example`. */
  serviceUrl: string;
  apiKey: string;
  apiSecret: string;
  /** More keys of the same account. Requests are spread over all keys. Default none. */
  apiKeys?: readonly { key: string; secret: string }[];
  /** The keys were created with `nonce_window`, so requests may run in parallel. Default false. */
  nonceWindow?: boolean;
  /** The token that signs callbacks. */
  callbackToken: string;
  /** The profile that defines coins, expiry and callbacks. */
  profileId: string;
  /**
   * Signs order tokens. The ids of checkouts and the key of envelopes derive from it: after a
   * change, open checkouts are not found.
   */
  orderSecret: string;
  /** Opens checkouts from server to server, in `Authorization: Bearer`. */
  shopSecret: string;
  /** Public address of these pages, without a trailing slash. */
  publicUrl: string;
  store: Store;

  /** Shown to the buyer. Default the host name of `publicUrl`. */
  merchantName?: string;
  /** Shown to the buyer beside the name, and in the browser's tab. Default none. */
  merchantLogo?: MerchantImage;
  /** The colour of buttons and links on our own pages: `#rrggbb`. Default blue. */
  merchantColor?: string;
  /** The company that is paid. Buyers copy it into the form of an exchange. Default none. */
  merchantCompany?: MerchantCompany;
  /** The shop's help, shown to buyers: an `https:` or `mailto:` link. Default none. */
  supportUrl?: string;
  /** Origins of shop pages that hold the element. Default none. */
  embedOrigins?: readonly string[];
  /**
   * Exact origins that any success link may lead to. Default none: only https links of a signed
   * order.
   */
  successOrigins?: readonly string[];
  /** Fixed prices. Default none. */
  catalogue?: Catalogue;
  /** Whether a page may set the price. Its orders are marked `unverified_price`. Default false. */
  allowClientPrices?: boolean;
  /**
   * Payments after the quote expired. `ask`: they do not count, and the shop decides. `accept`:
   * they count at the price of their arrival. Default `ask`.
   */
  latePayments?: 'ask' | 'accept';
  /**
   * Seconds that a quote holds for a buyer who pays from an exchange, if the profile has fewer.
   * Default 3600.
   */
  exchangeExpiration?: InvoiceExpiration;
  /**
   * Page that sells coins for card payments, with `{api_key}`, `{address}`, `{amount}`,
   * `{currency}`, `{symbol}` and `{network}`. Default none.
   */
  onrampUrl?: string;
  /**
   * JSON-RPC of a Solana node. With it, wallets in the buyer's browser get Solana transactions
   * ready to sign. Default none.
   */
  solanaRpcUrl?: string;
  /** The shop's webhook, and the `whsec_…` secret that signs it. Default none. */
  shopWebhook?: { url: string; secret: string };
  /** Receives the same events in this process. A rejection causes a retry. */
  onEvent?: (event: ShopEvent) => Promise<void>;
  /**
   * Whether the service has the extensions: signed bytes in callbacks, and renewal. Without them a
   * callback only triggers a read, and a new invoice replaces an expired one. Default true.
   */
  extensions?: boolean;
  /**
   * Requests of one key per second and at once. All other limits are multiples. Default 20 and 60.
   */
  rateLimit?: { perSecond: number; burst: number };
  /** Event streams that may be open at once. Default: any number. */
  maxStreams?: number;
  /** Proxies with a trusted `X-Forwarded-For`. Default none. */
  trustedProxies?: readonly Network[];
  /** Address of the connection, for hosts other than Node. */
  socketAddress?: (c: Context) => string | null;
  /** The built browser files. Default none: pages work without scripts and have no script tag. */
  elements?: { manifest: ElementFiles; files: ReadonlyMap<string, ElementFile> };

  /** Sends receipts by e-mail to buyers who ask for them. Default none: they cannot ask. */
  mailer?: Mailer;

  /** Faster implementations from the host. Each has a default that works everywhere. */
  host?: HostAbilities;
  fetch?: typeof fetch;
  /**
   * Timeout of one request to the service. Default 3,500: a callback waits for the service and for
   * the shop.
   */
  serviceTimeoutMs?: number;
  /** Own clock, milliseconds since the epoch. Default `Date.now`. */
  now?: () => number;
  log?: Log;
}

export interface ElementFile {
  body: Uint8Array<ArrayBuffer>;
  brotli: Uint8Array<ArrayBuffer> | null;
  /** For clients without brotli: browsers on plain http, and some proxies. Default none. */
  gzip?: Uint8Array<ArrayBuffer>;
  type: string;
}

export interface HostAbilities {
  /** Default WebCrypto. */
  hmac?: Hmac;
  /** Brotli, quality 8. Default none: responses are not compressed. */
  brotli?: (text: string) => Uint8Array<ArrayBuffer>;
  /** For clients without brotli. Default none. */
  gzip?: (text: string) => Uint8Array<ArrayBuffer>;
  /**
   * Raw deflate (RFC 1951) of a text, up to a sync flush; it may refer to `before`, which precedes
   * it in the stream. Default none: event streams are not compressed.
   */
  deflate?: (text: string, before: string) => Uint8Array<ArrayBuffer>;
  /** Draws dark modules as a PNG image. Default none: QR images are SVG. */
  png?: (modules: {
    size: number;
    isDark(x: number, y: number): boolean;
  }) => Uint8Array<ArrayBuffer>;
  /** Draws the picture of link previews as PNG. Default none: previews have no picture. */
  preview?: (color: string | null) => Uint8Array<ArrayBuffer>;
  /**
   * Sends an event stream with less memory than a web stream. Returns null for a request of another
   * host, and otherwise the response.
   */
  stream?: (
    c: Context,
    headers: Record<string, string>,
    open: (sink: Sink) => () => void,
  ) => Response | null;
}

/** A receipt as an e-mail. The address is used once, and never logged or stored. */
export interface ReceiptMail {
  to: string;
  subject: string;
  text: string;
  /** The signed receipt. */
  file: { name: string; content: string; type: string };
  language: string;
}

/** `unreachable`: the mail server was not given the e-mail, so that nothing was sent. */
export type Mailer = (
  mail: ReceiptMail,
) => Promise<{ type: 'sent' } | { type: 'unreachable' | 'failed'; code: string }>;

/** One open event stream. */
export interface Sink {
  /** Returns false when the client has disconnected or was cut off because it read too slowly. */
  write(data: string | Uint8Array<ArrayBuffer>): boolean;
  end(): void;
}

export interface Log {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

/**
 * Seconds that a quote for a buyer who pays from an exchange holds: exchanges review withdrawals
 * before they send them.
 */
export const DEFAULT_EXCHANGE_EXPIRATION = 3600 satisfies InvoiceExpiration;

/** Requests to the service with one key: per second, and at once. */
export const DEFAULT_RATE_LIMIT = { perSecond: 20, burst: 60 };

export const silentLog: Log = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** A missing or invalid setting. Each line of the message is one sentence for the operator. */
export class OptionsError extends Error {
  override name = 'OptionsError';
}

const MIN_SECRET = 16;

/** @throws OptionsError for a secret that is missing or short, and for an invalid URL */
export function validateOptions(options: Omit<BffOptions, 'store'>): void {
  const mistakes = (
    [
      ['API_KEY', options.apiKey, 1],
      ['API_SECRET', options.apiSecret, MIN_SECRET],
      ['CALLBACK_TOKEN', options.callbackToken, MIN_SECRET],
      ['PROFILE_ID', options.profileId, 1],
      ['ORDER_SECRET', options.orderSecret, MIN_SECRET],
      ['SHOP_SECRET', options.shopSecret, MIN_SECRET],
      ...(options.shopWebhook
        ? [['SHOP_WEBHOOK_SECRET', options.shopWebhook.secret, MIN_SECRET] as const]
        : []),
    ] as const
  ).flatMap(([name, value, least]) => {
    if (typeof value !== 'string' || value.trim() === '')
      return [`${name} is missing: ${MEANING[name]}.`];
    return value.length < least
      ? [`${name} is shorter than ${least} characters: ${MEANING[name]}.`]
      : [];
  });
  // Both become links on the page.
  if (options.supportUrl !== undefined && !isSupportUrl(options.supportUrl))
    mistakes.push(`SUPPORT_URL ${SUPPORT_URL_RULE}.`);
  if (options.onrampUrl !== undefined && !isOnrampUrl(options.onrampUrl))
    mistakes.push(`ONRAMP_URL ${ONRAMP_URL_RULE}.`);
  if (options.solanaRpcUrl !== undefined && !isHttpUrl(options.solanaRpcUrl))
    mistakes.push('SOLANA_RPC_URL must be an http or https address.');
  mistakes.push(...merchantMistakes(options));
  if (options.orderSecret === options.shopSecret && options.orderSecret)
    mistakes.push('ORDER_SECRET and SHOP_SECRET must differ.');
  if (mistakes.length > 0) throw new OptionsError(mistakes.join('\n'));
}

const MEANING = {
  API_KEY: 'the key of the payment service',
  API_SECRET: 'the secret of that key; it signs every request',
  CALLBACK_TOKEN: 'it verifies callbacks from the service',
  PROFILE_ID: 'invoices are created under this profile',
  ORDER_SECRET: 'it verifies order tokens',
  SHOP_SECRET: 'the shop opens checkouts with it',
  SHOP_WEBHOOK_SECRET: 'it signs the webhooks to the shop',
} as const;
