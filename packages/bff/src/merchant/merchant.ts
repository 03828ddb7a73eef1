import type { CheckoutMerchant } from '@crypto-checkout/protocol/checkout';
import type { BffOptions } from '../options.ts';

/** An image that buyers see: the shop's logo. */
export interface MerchantImage {
  body: Uint8Array<ArrayBuffer>;
  type: 'image/svg+xml' | 'image/png';
}

/** The company that is paid, as exchanges ask for it. */
export type MerchantCompany = Omit<NonNullable<CheckoutMerchant['legal']>, 'asked'>;

/** The merchant as buyers see it. */
export interface Merchant extends Omit<CheckoutMerchant, 'legal'> {
  company: MerchantCompany | null;
}

/** Bytes of a logo at most. */
export const MAX_LOGO = 20_000;

export const COLOR_RULE =
  'must be a colour such as #a3122a that white text is readable on (a contrast of at least 4.5)';
export const COUNTRY_RULE = 'must be a country code of two capital letters, such as DE';

/** `#rrggbb`, dark enough for white text and for links on a white page (WCAG 2.2, 1.4.3). */
export function isMerchantColor(value: string): boolean {
  const parts = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(value)?.slice(1);
  if (!parts) return false;
  const [red = 0, green = 0, blue = 0] = parts.map((part) => linear(Number.parseInt(part, 16)));
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05) >= 4.5;
}

/** One channel of sRGB, without its gamma. */
function linear(channel: number): number {
  const share = channel / 255;
  return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** Mistakes in the options about the merchant, one sentence each. */
export function merchantMistakes({
  merchantLogo,
  merchantColor,
  merchantCompany,
}: Omit<BffOptions, 'store'>): string[] {
  return [
    ...(merchantLogo && merchantLogo.body.length > MAX_LOGO
      ? [`MERCHANT_LOGO must have at most ${MAX_LOGO} bytes, not ${merchantLogo.body.length}.`]
      : []),
    ...(merchantColor !== undefined && !isMerchantColor(merchantColor)
      ? [`MERCHANT_COLOR ${COLOR_RULE}.`]
      : []),
    ...(merchantCompany && !isCountry(merchantCompany.country)
      ? [`MERCHANT_COUNTRY ${COUNTRY_RULE}.`]
      : []),
  ];
}

/** ISO 3166-1 alpha-2. */
export const isCountry = (value: string | null): boolean =>
  value === null || /^[A-Z]{2}$/.test(value);

export function merchantOf({
  merchantName,
  merchantLogo,
  merchantCompany,
  supportUrl,
  publicUrl,
}: BffOptions): Merchant {
  return {
    name: merchantName ?? new URL(publicUrl).hostname,
    contact: supportUrl ?? null,
    logo: merchantLogo ? `${publicUrl}/merchant/${logoName(merchantLogo)}` : null,
    company: merchantCompany ?? null,
  };
}

/** The name changes with the image, so that it can be cached for ever. */
export function logoName({ body, type }: MerchantImage): string {
  return `logo-${fingerprint(body)}.${type === 'image/png' ? 'png' : 'svg'}`;
}

/** FNV-1a with 32 bits: it distinguishes two versions of one file. */
function fingerprint(bytes: Uint8Array): string {
  let hash = 0x81_1c_9d_c5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01_00_01_93) >>> 0;
  return hash.toString(36);
}
