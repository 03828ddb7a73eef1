import { ONRAMP_MEMBERS } from '../checkout/onramp.ts';

export const ONRAMP_NAMES = ONRAMP_MEMBERS.map((name) => `{${name}}`).join(' ');

export const SUPPORT_FORM = 'must be an https or mailto address';
export const ONRAMP_FORM = `must be an https address with {address}, and none in braces but ${ONRAMP_NAMES}`;

/** Without user name and password: those have settings of their own, and addresses end in logs. */
export function isHttp(value: string): boolean {
  const parsed = URL.canParse(value) ? new URL(value) : null;
  return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username === '' && parsed.password === '';
}

/** The shop's help: a page or a mailbox. */
export function isSupport(value: string): boolean {
  const parsed = URL.canParse(value) ? new URL(value) : null;
  return parsed?.protocol === 'mailto:' ? /^[^@\s]+@[^@\s]+$/.test(parsed.pathname) : parsed?.protocol === 'https:' && isHttp(value);
}

/** A page that sells coins: it must get the address, and nothing that we don't fill in. */
export function isOnramp(value: string): boolean {
  const names = [...value.matchAll(/\{([^}]*)\}?/g)].map(([, name = '']) => name);
  const known = names.every((name) => (ONRAMP_MEMBERS as readonly string[]).includes(name)) && names.includes('address');
  // Nothing that is filled in may choose whose page it is.
  return known && isHttp(value) && /^https:\/\/[^/?#{}]+[/?#]/.test(value);
}

export function isPostgres(value: string | null): boolean {
  return value === null || /^postgres(?:ql)?:\/\//.test(value);
}
