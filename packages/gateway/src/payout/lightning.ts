import { createHash } from 'node:crypto';
import { formatAmount, fromUnits, toUnits, type Amount } from '@crypto-checkout/protocol/amount';
import { z } from 'zod';
import { describeFailure } from '../callback/trouble.ts';
import type { Context } from '../context.ts';
import { ServiceError } from '../http/error.ts';
import { ForbiddenDestinationError, requireStatedDestination } from '../outbound/outbound.ts';
import {
  Bolt11Error,
  decodeBolt11,
  type DecodedBolt11,
} from '@crypto-checkout/chains/lightning/bolt11';
import { decodeLnurl } from '@crypto-checkout/chains/lightning/lnurl';
import { MSAT_DECIMALS } from '@crypto-checkout/chains/lightning/payment-request';
import { invalid, invalidAddress, shown } from '../http/invalid.ts';

/** A payable BOLT11 request. */
export interface LightningTarget {
  paymentRequest: string;
  paymentHash: string;
  amount: Amount;
  /** The LNURL that issues a new request, or null. */
  lnurl: string | null;
}

interface LightningQuery {
  text: string;
  field: string;
  network: 'mainnet' | 'testnet';
  /** Null: taken from the request. */
  amount: Amount | null;
  /** The stated amount; `amount` is less by the custom fee. Default: `amount`. */
  beforeFee?: Amount | null;
  /** Formats an amount of bitcoin for error messages. Default: in BTC. */
  display?: (amount: Amount, rounding: 'up' | 'down') => string;
}

/**
 * Resolves the lightning address of a payout: a BOLT11 request, or an LNURL or an address as
 * `name@host` (LUD-16), which issues a request for the amount.
 * @throws ServiceError `InvalidAddress`, `ValidationError`, `LnurlError`
 */
export async function resolveLightning(
  context: Context,
  { text, ...options }: LightningQuery,
): Promise<LightningTarget> {
  const { field, amount } = options;
  const plain = text.replace(/^lightning:/i, '');
  const url = addressUrlOf(plain) ?? (/^lnurl1/i.test(plain) ? urlOf(plain, field) : null);
  if (url === null) return readRequest(context, { ...options, text: plain });
  if (amount === null) throw invalid(`${field}.amount`, 'is required for an LNURL');
  return {
    ...(await requestFromLnurl(context, url, { ...options, amount })),
    lnurl: plain,
  };
}

function readRequest(
  context: Context,
  { text, field, network, amount, beforeFee = amount }: LightningQuery,
): LightningTarget {
  const request = decode(text, field);
  requireNetwork(request, network, field);
  if (!isOpen(request, context.clock.now()))
    throw invalid(`${field}.address`, 'is an expired lightning request');
  const stated = request.amountMsat === null ? null : fromUnits(request.amountMsat, MSAT_DECIMALS);
  if (stated === null && amount === null)
    throw invalid(`${field}.amount`, 'is required: the lightning request has no amount');
  if (stated !== null && amount !== null && stated !== amount)
    throw invalid(
      `${field}.amount`,
      `is ${afterFee(amount, beforeFee ?? amount)}, but the lightning request asks for ${inBitcoin(stated)}`,
    );
  return {
    paymentRequest: text.toLowerCase(),
    paymentHash: request.paymentHash,
    amount: stated ?? amount ?? 0n,
    lnurl: null,
  };
}

const afterFee = (amount: Amount, beforeFee: Amount): string =>
  amount === beforeFee
    ? inBitcoin(amount)
    : `${inBitcoin(amount)} (${inBitcoin(beforeFee)} less fee_amount)`;

function decode(text: string, field: string): DecodedBolt11 {
  try {
    return decodeBolt11(text);
  } catch (cause) {
    if (!(cause instanceof Bolt11Error)) throw cause;
    throw invalidAddress(
      `${field}.address`,
      `${shown(text)} is neither a BOLT11 request nor an LNURL: ${cause.message}`,
      cause,
    );
  }
}

function requireNetwork(
  { prefix }: DecodedBolt11,
  network: 'mainnet' | 'testnet',
  field: string,
): void {
  if ((prefix === 'bc') === (network === 'mainnet')) return;
  throw invalidAddress(`${field}.address`, `The lightning request is not for ${network}`);
}

/** True if a request has not expired. */
export function isRequestOpen(paymentRequest: string, now: number): boolean {
  return isOpen(decodeBolt11(paymentRequest), now);
}

const isOpen = ({ timestamp, expirySeconds }: DecodedBolt11, now: number): boolean =>
  (timestamp + expirySeconds) * 1000 > now;

/** LUD-16: a name of these characters, and a host that is a domain. */
const NAMED = /^([a-z0-9._+-]{1,64})@((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63})$/i;

/** @returns null for a text that is not `name@host` */
function addressUrlOf(text: string): string | null {
  const [, name, host] = NAMED.exec(text) ?? [];
  if (name === undefined || host === undefined || /^\.+$/.test(name)) return null;
  return `https://${host.toLowerCase()}/.well-known/lnurlp/${encodeURIComponent(name.toLowerCase())}`;
}

function urlOf(lnurl: string, field: string): string {
  try {
    return decodeLnurl(lnurl);
  } catch (cause) {
    if (!(cause instanceof Bolt11Error)) throw cause;
    throw invalidAddress(`${field}.address`, `${shown(lnurl)} is not an LNURL`, cause);
  }
}

/** LUD-06. */
const payRequest = z.object({
  tag: z.literal('payRequest'),
  callback: z.url(),
  minSendable: z.int().nonnegative(),
  maxSendable: z.int().nonnegative(),
  metadata: z.string(),
});
const lnurlFailure = z.object({ status: z.literal('ERROR'), reason: z.string().default('') });
const payResponse = z.object({ pr: z.string() });

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024;

async function requestFromLnurl(
  context: Context,
  url: string,
  {
    field,
    network,
    amount,
    display = inBitcoin,
  }: Omit<LightningQuery, 'text' | 'amount'> & { amount: Amount },
): Promise<Omit<LightningTarget, 'lnurl'>> {
  const offer = parseResponse(payRequest, await fetchJson(context, url, network));
  const msat = toUnits(amount, MSAT_DECIMALS);
  if (msat < BigInt(offer.minSendable) || msat > BigInt(offer.maxSendable)) {
    const bounds = `${display(fromUnits(BigInt(offer.minSendable), MSAT_DECIMALS), 'up')} to ${display(fromUnits(BigInt(offer.maxSendable), MSAT_DECIMALS), 'down')}`;
    throw new ServiceError(
      'LnurlError',
      `The LNURL accepts ${bounds}, not ${display(amount, 'up')}.`,
      {
        errors: [{ field: `${field}.amount`, message: `must be ${bounds}` }],
      },
    );
  }
  const callback = new URL(offer.callback);
  callback.searchParams.set('amount', msat.toString());
  const { pr } = parseResponse(payResponse, await fetchJson(context, callback.href, network));
  return requireMatchingRequest(context, pr, {
    msat,
    metadata: offer.metadata,
    network,
    field,
    amount,
  });
}

const inBitcoin = (amount: Amount): string => `${formatAmount(amount)} BTC`;

/**
 * The request must have this amount and network, and a description hash of this metadata (LUD-06).
 */
function requireMatchingRequest(
  context: Context,
  pr: string,
  {
    msat,
    metadata,
    network,
    field,
    amount,
  }: {
    msat: bigint;
    metadata: string;
    network: LightningQuery['network'];
    field: string;
    amount: Amount;
  },
): Omit<LightningTarget, 'lnurl'> {
  const request = decodeReturned(pr);
  requireNetwork(request, network, field);
  const hash = createHash('sha256').update(metadata).digest('hex');
  if (
    request.amountMsat !== msat ||
    request.descriptionHash !== hash ||
    !isOpen(request, context.clock.now())
  )
    throw new ServiceError(
      'LnurlError',
      'The LNURL returned a lightning request that does not match the payout.',
    );
  return { paymentRequest: pr.toLowerCase(), paymentHash: request.paymentHash, amount };
}

function decodeReturned(pr: string): DecodedBolt11 {
  try {
    return decodeBolt11(pr);
  } catch (cause) {
    if (!(cause instanceof Bolt11Error)) throw cause;
    throw new ServiceError('LnurlError', 'The LNURL returned an invalid lightning request.', {
      cause,
    });
  }
}

/** Shortens a foreign text and strips its full stop, so that it fits into a sentence. */
const reasonOf = ({ reason }: z.output<typeof lnurlFailure>): string =>
  reason.slice(0, 200).replace(/[\s.]+$/, '') || 'no reason';

function parseResponse<T>(schema: z.ZodType<T>, response: unknown): T {
  const failure = lnurlFailure.safeParse(response);
  if (failure.success)
    throw new ServiceError('LnurlError', `The LNURL returned an error: ${reasonOf(failure.data)}.`);
  const parsed = schema.safeParse(response);
  if (parsed.success) return parsed.data;
  throw new ServiceError(
    'LnurlError',
    'The LNURL returned a response that does not follow LUD-06.',
    { cause: parsed.error },
  );
}

async function fetchJson(
  { config, outbound, log }: Context,
  url: string,
  network: LightningQuery['network'],
): Promise<unknown> {
  try {
    requireStatedDestination(new URL(url), config.outboundAllow, network === 'testnet');
  } catch (cause) {
    if (!(cause instanceof ForbiddenDestinationError)) throw cause;
    const hint =
      cause.opening === null ? '' : '; the setting OUTBOUND_ALLOW of the service can allow it';
    throw new ServiceError(
      'LnurlError',
      `The address of the LNURL is not allowed: ${cause.message}${hint}.`,
      { cause },
    );
  }
  try {
    const response = await outbound(url, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { accept: 'application/json' },
    });
    return JSON.parse(await readText(response)) as unknown;
  } catch (cause) {
    // Log the resolved address for the operator only: a caller could use an LNURL to probe the
    // internal network.
    if (cause instanceof ForbiddenDestinationError)
      log.warn(
        { event: 'lnurl_blocked', origin: new URL(url).origin, why: describeFailure(cause) },
        'LNURL destination blocked',
      );
    throw new ServiceError('LnurlError', 'The address of the LNURL does not respond.', { cause });
  }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error('The response is too large');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
