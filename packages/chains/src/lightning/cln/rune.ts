import { readFileSync } from 'node:fs';
import { base64urlnopad } from '@scure/base';
import { ConfigError } from '../../error.ts';

/** Methods that receiving needs. */
const RECEIVING = [
  'getinfo',
  'invoice',
  'listinvoices',
  'waitanyinvoice',
  'wait',
  'delinvoice',
  'listpeerchannels',
  'listpays',
] as const;
/** Methods that paying needs. */
const SENDING = ['xpay', 'listpays', 'listpeerchannels'] as const;

/** An alternative of a restriction: a field, a condition and a value. */
const METHOD_IS = /^method=([a-z-]+)$/;
/** The authentication code before the restrictions. */
const CODE_BYTES = 32;

/** The command that makes the rune which receives. */
export const CREATE_RECEIVING = creating(RECEIVING);
export const CREATE_SENDING = creating(SENDING);

function creating(methods: readonly string[]): string {
  const alternatives = methods.map((method) => `"method=${method}"`).join(',');
  return `lightning-cli createrune restrictions='[[${alternatives}]]'`;
}

/**
 * Reads a rune: its text, or the path of a file with it.
 * @throws ConfigError with one sentence that names the setting
 */
export function readRune(setting: string, value: string): string {
  if (methodsOf(value) !== undefined) return value;
  let text = '';
  try {
    text = readFileSync(value, 'utf8').trim();
  } catch {
    // Reported below.
  }
  if (methodsOf(text) !== undefined) return text;
  throw new ConfigError(
    `${setting} must be a rune, or a file of this user with one; the file can't be read.`,
  );
}

/**
 * Checks that a rune can make and read invoices, and cannot spend.
 * @throws ConfigError with one sentence that names the setting
 */
export function requireReceivingRune(setting: string, rune: string): void {
  const methods = methodsOf(rune) ?? null;
  const excess = methods?.filter((method) => !(RECEIVING as readonly string[]).includes(method));
  if (excess === undefined || excess.length > 0)
    throw new ConfigError(
      `${setting} allows ${excess === undefined ? 'every call' : excess.slice(0, 4).join(', ')}; make one that only receives: ${CREATE_RECEIVING}`,
    );
  requireAll(setting, methods ?? [], RECEIVING, CREATE_RECEIVING);
}

/** @throws ConfigError with one sentence that names the setting */
export function requireSendingRune(setting: string, rune: string): void {
  const methods = methodsOf(rune);
  if (methods != null) requireAll(setting, methods, SENDING, CREATE_SENDING);
}

function requireAll(
  setting: string,
  methods: readonly string[],
  needed: readonly string[],
  remedy: string,
): void {
  const missing = needed.filter((method) => !methods.includes(method));
  if (missing.length > 0)
    throw new ConfigError(`${setting} lacks ${missing.join(', ')}; make it again: ${remedy}`);
}

/**
 * The methods that a rune allows; null without such a restriction, undefined for a text that is no
 * rune. The node checks the code, not we.
 */
function methodsOf(rune: string): string[] | null | undefined {
  const text = restrictionsOf(rune);
  if (text === undefined) return undefined;
  const allowed = text
    .split('&')
    .map((restriction) => restriction.split('|').map((one) => METHOD_IS.exec(one)?.[1]))
    .filter((methods): methods is string[] => methods.every((method) => method !== undefined));
  if (allowed.length === 0) return null;
  return allowed.reduce((kept, methods) => kept.filter((method) => methods.includes(method)));
}

function restrictionsOf(rune: string): string | undefined {
  try {
    const bytes = base64urlnopad.decode(rune.replace(/=+$/, ''));
    if (bytes.length < CODE_BYTES) return undefined;
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.slice(CODE_BYTES));
  } catch {
    return undefined;
  }
}
