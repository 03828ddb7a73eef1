import { createHmac } from 'node:crypto';
import { signWebhook, webhookSecret } from '@crypto-checkout/protocol/callback';
import { postOf } from '../outbound/post.ts';
import { retryAfter } from './schedule.ts';
import { storable, describeFailure } from './trouble.ts';

/** Limit for a whole delivery, from the name look-up to the last byte read. */
export const TIMEOUT_MS = 10_000;
/** Bytes of the answer that are read and stored. */
const MAX_ANSWER = 64 * 1024;

export interface Delivery {
  id: string;
  url: string;
  body: string;
  /** The account's `callback_token`. */
  token: string;
}

export interface DeliveryResult {
  /** `gone`: status 410, which ends the retries. */
  outcome: 'delivered' | 'refused' | 'gone';
  /** The headers as they were sent. */
  requestHeaders: Record<string, string>;
  status: number | null;
  error: string | null;
  answerHeaders: Record<string, string> | null;
  answer: string | null;
  retryAfterMs: number | null;
  durationMs: number;
}

export interface SendOptions {
  outbound: typeof fetch;
  /** Real time, part of the signature. */
  now: number;
  /** Default `TIMEOUT_MS`. */
  timeoutMs?: number;
}

/**
 * Sends a callback once. It always ends in time and reports failures in its result; it never
 * throws.
 */
export async function sendCallback(
  delivery: Delivery,
  { outbound, now, timeoutMs = TIMEOUT_MS }: SendOptions,
): Promise<DeliveryResult> {
  const began = performance.now();
  const headers = await headersOf(delivery, now);
  const done = (
    result: Partial<DeliveryResult> & Pick<DeliveryResult, 'outcome'>,
  ): DeliveryResult => ({
    requestHeaders: { ...headers, 'content-length': String(Buffer.byteLength(delivery.body)) },
    status: null,
    error: null,
    answerHeaders: null,
    answer: null,
    retryAfterMs: null,
    ...result,
    durationMs: Math.round(performance.now() - began),
  });
  try {
    const answer = await postOf(outbound)(delivery.url, {
      headers,
      body: delivery.body,
      timeoutMs,
      maxBytes: MAX_ANSWER,
    });
    const { status, headers: answerHeaders } = answer;
    const outcome =
      status >= 200 && status < 300 ? 'delivered' : status === 410 ? 'gone' : 'refused';
    const retryAfterMs = retryAfter(answerHeaders['retry-after'] ?? null, now);
    return done({
      outcome,
      status,
      answerHeaders,
      answer: storable(answer.body.toString('utf8')),
      retryAfterMs,
    });
  } catch (error) {
    return done({ outcome: 'refused', error: describeFailure(error) });
  }
}

async function headersOf(
  { id, body, token }: Delivery,
  now: number,
): Promise<Record<string, string>> {
  const secret = webhookSecret(token);
  const signed = await signWebhook(
    { id, timestamp: Math.floor(now / 1000), body, secret },
    (key, message) => createHmac('sha256', key).update(message).digest(),
  );
  return {
    ...signed,
    'content-type': 'application/json',
    'user-agent': 'crypto-checkout',
    accept: '*/*',
    'accept-encoding': 'identity',
  };
}
