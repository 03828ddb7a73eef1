import { isHttpUrl } from '@crypto-checkout/protocol/schema/setting';

/** The placeholders that ONRAMP_URL may contain. */
export const ONRAMP_PLACEHOLDERS = [
  'api_key',
  'address',
  'amount',
  'currency',
  'symbol',
  'network',
] as const;

export const ONRAMP_PLACEHOLDER_LIST = ONRAMP_PLACEHOLDERS.map((name) => `{${name}}`).join(' ');

export const SUPPORT_URL_RULE = 'must be an https or mailto address';
export const ONRAMP_URL_RULE = `must be an https address with {address}, and no other placeholders than ${ONRAMP_PLACEHOLDER_LIST}`;

/** A help link: a page or a mailbox. */
export function isSupportUrl(value: string): boolean {
  const parsed = URL.canParse(value) ? new URL(value) : null;
  return parsed?.protocol === 'mailto:'
    ? /^[^@\s]+@[^@\s]+$/.test(parsed.pathname)
    : parsed?.protocol === 'https:' && isHttpUrl(value);
}

/** An on-ramp URL must contain {address} and no unknown placeholder. */
export function isOnrampUrl(value: string): boolean {
  const names = [...value.matchAll(/\{([^}]*)\}?/g)].map(([, name = '']) => name);
  const known =
    names.every((name) => (ONRAMP_PLACEHOLDERS as readonly string[]).includes(name)) &&
    names.includes('address');
  // A placeholder must not change the host.
  return known && isHttpUrl(value) && /^https:\/\/[^/?#{}]+[/?#]/.test(value);
}
