import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import { isSignedBitcoinPlan } from '@crypto-checkout/chains/bitcoin/sign';
import { UnavailableError } from '@crypto-checkout/chains/error';
import { isSignedPlan } from '@crypto-checkout/chains/evm/send/sign';
import type { BitcoinPlan, EvmPlan, SignedTransaction } from '@crypto-checkout/chains/sender';
import { SigningRefusedError, type Signer, type SignRequest } from '@crypto-checkout/chains/signer';
import { Client } from 'undici';
import { z } from 'zod';
import type { Approval } from './approval.ts';

const TIMEOUT_MS = 10_000;
const signed = z.object({ raw: z.string(), txid: z.string() });
const refusal = z.object({ reason: z.string() });

export interface RemoteSignerOptions {
  /** Path of the signer's Unix socket. */
  socket: string;
  /** The approval of a payout, if there is one. */
  approvalOf: (id: string) => Promise<Approval | null>;
}

/** Asks the signer process. Its answer is compared with the plan before it is used. */
export function createRemoteSigner({ socket, approvalOf }: RemoteSignerOptions): Signer {
  const client = new Client('http://signer', { socketPath: socket, headersTimeout: TIMEOUT_MS });
  return {
    async sign({ id, purpose, plan, recipientIndex = null }) {
      if (plan.family !== 'evm' && plan.family !== 'bitcoin')
        throw new SigningRefusedError(
          'The signer process signs for EVM chains, Bitcoin, Litecoin and Dogecoin only, and not for simulated ones',
        );
      const body = {
        id,
        purpose,
        chain: plan.family === 'evm' ? chainOf(plan) : plan.chain,
        plan,
        recipientIndex,
        approval: await approvalOf(id),
      };
      const { status, text } = await post(client, body);
      if (status === 403 || status === 400)
        throw new SigningRefusedError(refusal.parse(JSON.parse(text)).reason);
      return requireAnswer(plan, status, text);
    },
    async answers() {
      try {
        const { statusCode, body } = await client.request({ method: 'GET', path: '/health' });
        await body.dump();
        return statusCode === 200;
      } catch {
        return false;
      }
    },
  };
}

async function post(
  client: Client,
  body: Omit<SignRequest, 'recipientIndex'> & { chain: ChainId },
): Promise<{ status: number; text: string }> {
  try {
    const response = await client.request({
      method: 'POST',
      path: '/sign',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.statusCode, text: await response.body.text() };
  } catch (cause) {
    throw new UnavailableError('The signer does not answer', { cause });
  }
}

/** @throws UnavailableError for an answer that is not the signed plan */
function requireAnswer(
  plan: EvmPlan | BitcoinPlan,
  status: number,
  text: string,
): SignedTransaction {
  const answer = status === 200 ? signed.safeParse(JSON.parse(text)) : null;
  const isSigned = (data: SignedTransaction): boolean =>
    plan.family === 'evm' ? isSignedPlan(plan, data) : isSignedBitcoinPlan(plan, data);
  if (!answer?.success || !isSigned(answer.data))
    throw new UnavailableError('The signer did not answer with the signed plan');
  return answer.data;
}

function chainOf({ chainId }: EvmPlan): ChainId {
  const found = Object.values(CHAINS).find(
    ({ evmChainId, testEvmChainId }) => chainId === evmChainId || chainId === testEvmChainId,
  );
  // Development chains stand for Ethereum.
  return found?.id ?? 'ethereum';
}
