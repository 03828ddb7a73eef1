import { isDeepStrictEqual } from 'node:util';
import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import { isSignedBitcoinPlan } from '@crypto-checkout/chains/bitcoin/sign';
import { UnavailableError } from '@crypto-checkout/chains/error';
import { isSignedPlan } from '@crypto-checkout/chains/evm/send/sign';
import type {
  BitcoinPlan,
  BroadcastResult,
  EvmPlan,
  LightningPlan,
  SignedTransaction,
} from '@crypto-checkout/chains/sender';
import {
  SigningRefusedError,
  type PayoutPurpose,
  type Signer,
} from '@crypto-checkout/chains/signer';
import { Client } from 'undici';
import { z } from 'zod';
import type { Approval } from '../approval.ts';
import { TLS_VERSION, tlsProblem, type TlsIdentity } from '../tls.ts';

const TIMEOUT_MS = 10_000;
/** The node looks for its payment, and for a route, before it answers. */
const PAY_TIMEOUT_MS = 30_000;
const signed = z.object({ raw: z.string(), txid: z.string() });
const refusal = z.object({ reason: z.string() });

/** A Unix socket by its path, or an https address with certificates of both sides. */
export type SignerAddress = { socket: string } | { url: string; tls: TlsIdentity };

export type RemoteSignerOptions = SignerAddress & {
  /** The approval of a payout, if there is one. */
  approvalOf: (id: string) => Promise<Approval | null>;
  /** The reason of a payout, if it has one. Default: none has. */
  purposeOf?: (id: string) => Promise<PayoutPurpose>;
};

const payAnswer = z.discriminatedUnion('result', [
  z.object({ result: z.literal('ok') }),
  z.object({ result: z.literal(['failed', 'unknown']), reason: z.string() }),
]);

/**
 * Returns a function that lets the signer process pay over its lightning node. Without an answer
 * the outcome is unknown.
 */
export function createRemotePayer(
  address: SignerAddress,
): (raw: string) => Promise<BroadcastResult> {
  const client = connectionTo(address, PAY_TIMEOUT_MS);
  return async (raw) => {
    try {
      const plan: unknown = JSON.parse(raw);
      const { status, text } = await post(client, '/pay', { plan });
      if (status === 200) return payAnswer.parse(JSON.parse(text));
      return { result: 'unknown', reason: refusal.parse(JSON.parse(text)).reason };
    } catch (error) {
      const reason = error instanceof UnavailableError ? error.message : 'The signer failed';
      return { result: 'unknown', reason };
    }
  };
}

/** Asks the signer process. Its answer is compared with the plan before it is used. */
export function createRemoteSigner(options: RemoteSignerOptions): Signer {
  const { approvalOf, purposeOf = async () => 'payout' } = options;
  const client = connectionTo(options, TIMEOUT_MS);
  return {
    async sign({ id, purpose, plan, recipientIndex = null }) {
      if (plan.family === 'sandbox')
        throw new SigningRefusedError(
          'The signer process does not sign for simulated chains; sign there with KEYS_MODE=local',
        );
      const body = {
        id,
        purpose: purpose === 'payout' ? await purposeOf(id) : purpose,
        chain: chainOf(plan),
        plan,
        recipientIndex,
        approval: await approvalOf(id),
      };
      const { status, text } = await post(client, '/sign', body);
      const answer = parsed(text);
      if (status === 403 || status === 400) throw refusalIn(answer);
      return requireAnswer(plan, status, answer);
    },
    async problem() {
      try {
        const { statusCode, body } = await client.request({ method: 'GET', path: '/health' });
        await body.dump();
        return statusCode === 200 ? null : `it answers ${statusCode}`;
      } catch (error) {
        return problemOf(error);
      }
    },
  };
}

function connectionTo(address: SignerAddress, timeoutMs: number): Client {
  const timeouts = { headersTimeout: timeoutMs, bodyTimeout: TIMEOUT_MS };
  if ('socket' in address)
    return new Client('http://signer', { socketPath: address.socket, ...timeouts });
  const tls = { ...address.tls, minVersion: TLS_VERSION } as const;
  return new Client(address.url, { connect: { ...tls, timeout: TIMEOUT_MS }, ...timeouts });
}

/** The end of a sentence about a signer that cannot be reached. */
function problemOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  const isClosed = /^(?:ECONNRESET|UND_ERR_SOCKET|EPIPE)$|ALERT/.test(code);
  if (isClosed) return 'it closed the connection, and its log says why';
  if (/^(?:ENOENT|ECONNREFUSED)$/.test(code)) return 'nothing listens there';
  if (code === 'EACCES') return 'the socket is closed to this user, which must be in its group';
  return tlsProblem(code);
}

async function post(
  client: Client,
  path: string,
  body: object,
): Promise<{ status: number; text: string }> {
  try {
    const response = await client.request({
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.statusCode, text: await response.body.text() };
  } catch (cause) {
    throw new UnavailableError(`The signer does not answer: ${problemOf(cause)}`, { cause });
  }
}

/** Undefined for a text that is no JSON, such as the page of another server. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const noAnswer = (): UnavailableError =>
  new UnavailableError('The signer did not answer with the signed plan');

function refusalIn(answer: unknown): Error {
  const found = refusal.safeParse(answer);
  return found.success ? new SigningRefusedError(found.data.reason) : noAnswer();
}

/** @throws UnavailableError for an answer that is not the signed plan */
function requireAnswer(plan: SignedPlan, status: number, answer: unknown): SignedTransaction {
  const found = status === 200 ? signed.safeParse(answer) : null;
  if (!found?.success || !isSigned(plan, found.data)) throw noAnswer();
  return found.data;
}

type SignedPlan = EvmPlan | BitcoinPlan | LightningPlan;

function isSigned(plan: SignedPlan, answer: SignedTransaction): boolean {
  switch (plan.family) {
    case 'evm':
      return isSignedPlan(plan, answer);
    case 'bitcoin':
      return isSignedBitcoinPlan(plan, answer);
    case 'lightning':
      return answer.txid === plan.paymentHash && isDeepStrictEqual(JSON.parse(answer.raw), plan);
    default:
      throw new Error(`Unknown plan ${String(plan satisfies never)}`);
  }
}

function chainOf(plan: SignedPlan): ChainId {
  if (plan.family === 'lightning') return 'lightning';
  if (plan.family === 'bitcoin') return plan.chain;
  const { chainId } = plan;
  const found = Object.values(CHAINS).find(
    ({ evmChainId, testEvmChainId }) => chainId === evmChainId || chainId === testEvmChainId,
  );
  // Development chains stand for Ethereum.
  return found?.id ?? 'ethereum';
}
