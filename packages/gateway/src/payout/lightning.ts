import { createHash } from 'node:crypto';
import { formatAmount, fromUnits, toUnits, type Amount } from '@crypto-checkout/protocol/amount';
import { z } from 'zod';
import { troubleOf } from '../callback/trouble.ts';
import type { Context } from '../context.ts';
import { ServiceError } from '../http/error.ts';
import { ForbiddenDestinationError, requireStated } from '../http/outbound.ts';
import { Bolt11Error, decodeBolt11, type DecodedBolt11 } from '../chain/lightning/bolt11.ts';
import { decodeLnurl } from '../chain/lightning/lnurl.ts';
import { MSAT_DECIMALS } from '../chain/lightning/request.ts';
import { invalid, invalidAddress, shown } from '../http/invalid.ts';

/** A request that can be paid. */
export interface LightningTarget {
  paymentRequest: string;
  paymentHash: string;
  amount: Amount;
  /** Where another request can be asked for. */
  lnurl: string | null;
}

interface Asked {
  text: string;
  field: string;
  network: 'mainnet' | 'testnet';
  /** Null: the request says it. */
  amount: Amount | null;
  /** What the caller stated, of which a custom fee left `amount`. Default: the same. */
  beforeFee?: Amount | null;
  /** How bitcoins are said to whoever asked: in the currency of the amount. Default: in BTC. */
  shown?: (amount: Amount, rounding: 'up' | 'down') => string;
}

/**
 * What a lightning address of a payout stands for: the BOLT11 request itself, or the one that an LNURL gives for the amount.
 * @throws ServiceError `InvalidAddress`, `ValidationError`, `LnurlError`
 */
export async function resolveLightning(context: Context, { text, ...asked }: Asked): Promise<LightningTarget> {
  const { field, amount } = asked;
  const plain = text.replace(/^lightning:/i, '');
  if (!/^lnurl1/i.test(plain)) {
    return readRequest(context, { ...asked, text: plain });
  }
  if (amount === null) throw invalid(`${field}.amount`, 'is required for an LNURL');
  return { ...(await askLnurl(context, urlOf(plain, field), { ...asked, amount })), lnurl: plain };
}

function readRequest(context: Context, { text, field, network, amount, beforeFee = amount }: Asked): LightningTarget {
  const request = decode(text, field);
  requireNetwork(request, network, field);
  if (!isOpen(request, context.clock.now())) throw invalid(`${field}.address`, 'is a lightning request that ran out');
  const stated = request.amountMsat === null ? null : fromUnits(request.amountMsat, MSAT_DECIMALS);
  if (stated === null && amount === null) throw invalid(`${field}.amount`, 'is required: the lightning request says none');
  if (stated !== null && amount !== null && stated !== amount)
    throw invalid(
      `${field}.amount`,
      `is ${afterFee(amount, beforeFee ?? amount)}, but the lightning request asks for ${inBitcoin(stated)}`,
    );
  return { paymentRequest: text.toLowerCase(), paymentHash: request.paymentHash, amount: stated ?? amount ?? 0n, lnurl: null };
}

const afterFee = (amount: Amount, beforeFee: Amount): string =>
  amount === beforeFee ? inBitcoin(amount) : `${inBitcoin(beforeFee)}, of which fee_amount leaves ${inBitcoin(amount)}`;

function decode(text: string, field: string): DecodedBolt11 {
  try {
    return decodeBolt11(text);
  } catch (cause) {
    if (!(cause instanceof Bolt11Error)) throw cause;
    throw invalidAddress(`${field}.address`, `${shown(text)} is neither a BOLT11 request nor an LNURL: ${cause.message}`, cause);
  }
}

function requireNetwork({ prefix }: DecodedBolt11, network: 'mainnet' | 'testnet', field: string): void {
  if ((prefix === 'bc') === (network === 'mainnet')) return;
  throw invalidAddress(`${field}.address`, `The lightning request is for another network than ${network}`);
}

/** Whether a request can still be paid. */
export function isRequestOpen(paymentRequest: string, now: number): boolean {
  return isOpen(decodeBolt11(paymentRequest), now);
}

const isOpen = ({ timestamp, expirySeconds }: DecodedBolt11, now: number): boolean => (timestamp + expirySeconds) * 1000 > now;

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
const payAnswer = z.object({ pr: z.string() });

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024;

async function askLnurl(
  context: Context,
  url: string,
  { field, network, amount, shown: say = inBitcoin }: Omit<Asked, 'text' | 'amount'> & { amount: Amount },
): Promise<Omit<LightningTarget, 'lnurl'>> {
  const offer = read(payRequest, await get(context, url, network));
  const msat = toUnits(amount, MSAT_DECIMALS);
  if (msat < BigInt(offer.minSendable) || msat > BigInt(offer.maxSendable)) {
    const bounds = `${say(fromUnits(BigInt(offer.minSendable), MSAT_DECIMALS), 'up')} to ${say(fromUnits(BigInt(offer.maxSendable), MSAT_DECIMALS), 'down')}`;
    throw new ServiceError('LnurlError', `The LNURL takes ${bounds}, and ${say(amount, 'up')} is not within them.`, {
      errors: [{ field: `${field}.amount`, message: `must be ${bounds}` }],
    });
  }
  const callback = new URL(offer.callback);
  callback.searchParams.set('amount', msat.toString());
  const { pr } = read(payAnswer, await get(context, callback.href, network));
  return requireAsked(context, pr, { msat, metadata: offer.metadata, network, field, amount });
}

const inBitcoin = (amount: Amount): string => `${formatAmount(amount)} BTC`;

/** The request must be what was asked for: this amount, this network, signed for this metadata (LUD-06). */
function requireAsked(
  context: Context,
  pr: string,
  { msat, metadata, network, field, amount }: { msat: bigint; metadata: string; network: Asked['network']; field: string; amount: Amount },
): Omit<LightningTarget, 'lnurl'> {
  const request = decodeAnswer(pr);
  requireNetwork(request, network, field);
  const hash = createHash('sha256').update(metadata).digest('hex');
  if (request.amountMsat !== msat || request.descriptionHash !== hash || !isOpen(request, context.clock.now()))
    throw new ServiceError('LnurlError', 'The LNURL answered with a request that is not the one that was asked for.');
  return { paymentRequest: pr.toLowerCase(), paymentHash: request.paymentHash, amount };
}

function decodeAnswer(pr: string): DecodedBolt11 {
  try {
    return decodeBolt11(pr);
  } catch (cause) {
    if (!(cause instanceof Bolt11Error)) throw cause;
    throw new ServiceError('LnurlError', 'The LNURL answered with something that is not a lightning request.', { cause });
  }
}

/** Theirs, to stand in a sentence of ours, which has its own end. */
const reasonOf = ({ reason }: z.output<typeof lnurlFailure>): string => reason.slice(0, 200).replace(/[\s.]+$/, '') || 'no reason';

function read<T>(schema: z.ZodType<T>, answer: unknown): T {
  const failure = lnurlFailure.safeParse(answer);
  if (failure.success) throw new ServiceError('LnurlError', `The LNURL answered with an error: ${reasonOf(failure.data)}.`);
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new ServiceError('LnurlError', 'The LNURL answered with something that is not as LUD-06 says.', { cause: parsed.error });
}

async function get({ config, outbound, log }: Context, url: string, network: Asked['network']): Promise<unknown> {
  try {
    requireStated(new URL(url), config.outboundAllow, network === 'testnet');
  } catch (cause) {
    if (!(cause instanceof ForbiddenDestinationError)) throw cause;
    const opens = cause.opening === null ? '' : '; OUTBOUND_ALLOW of the service opens it';
    throw new ServiceError('LnurlError', `The address of the LNURL is not asked: ${cause.message}${opens}.`, { cause });
  }
  try {
    const response = await outbound(url, { signal: AbortSignal.timeout(TIMEOUT_MS), headers: { accept: 'application/json' } });
    return JSON.parse(await readText(response)) as unknown;
  } catch (cause) {
    // Where a name leads is told to the operator alone: who states an LNURL could look around inside with it.
    if (cause instanceof ForbiddenDestinationError)
      log.warn({ origin: new URL(url).origin, why: troubleOf(cause) }, 'an LNURL was not asked');
    throw new ServiceError('LnurlError', 'The address of the LNURL does not answer.', { cause });
  }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error('The answer is too long');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
