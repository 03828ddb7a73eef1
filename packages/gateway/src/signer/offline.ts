import { ConfigError } from '@crypto-checkout/chains/error';
import { createSigner, SigningRefusedError } from '@crypto-checkout/chains/signer';
import type { Policy } from './policy.ts';
import type { SignerState, SigningRequest } from './request.ts';
import { decide } from './rules.ts';
import type { SignedEntry } from './signed-log.ts';
import { UNSIGNED_VERSION, unsignedFile, type SignedFile } from './unsigned-file.ts';

type State = Omit<SignerState, 'isReviewed'>;

/**
 * Reads the transactions of an exported file.
 * @throws ConfigError with one sentence
 */
export function readUnsigned(name: string, text: string, { network }: Policy): SigningRequest[] {
  const parsed = unsignedFile.safeParse(asJson(text));
  if (!parsed.success)
    throw new ConfigError(
      `${name} is not the output of \`crypto-checkout-gateway unsigned export\`.`,
    );
  if (parsed.data.network !== network)
    throw new ConfigError(
      `${name} is for the ${parsed.data.network}, but policy.json is for the ${network}.`,
    );
  return parsed.data.transactions.map((transaction) => ({ ...transaction, approval: null }));
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Signs transactions that a person has looked at. All rules hold but the approvals and the limits
 * of amounts. Nothing is signed unless everything is allowed.
 * @throws SigningRefusedError with one sentence for each refusal
 */
export async function signOffline(
  seed: Uint8Array,
  requests: readonly SigningRequest[],
  state: State,
): Promise<SignedFile> {
  const reviewed = { ...state, isReviewed: true };
  requireAllowed(requests, reviewed);
  const signer = createSigner(seed);
  const signed: SignedFile['signed'] = [];
  for (const request of requests) {
    const entry = decide(request, reviewed);
    // Before the signature: a signature that is not in the log could be made twice.
    if (entry !== null) state.log.append(entry);
    signed.push({ id: request.id, ...(await signer.sign(request)) });
  }
  return { version: UNSIGNED_VERSION, signed };
}

/** Decides about all of them, each after the ones before it. */
function requireAllowed(requests: readonly SigningRequest[], state: SignerState): void {
  const entries = [...state.log.entries];
  const log = { entries, append: (entry: SignedEntry) => void entries.push(entry) };
  const refusals: string[] = [];
  for (const request of requests) {
    try {
      const entry = decide(request, { ...state, log });
      if (entry !== null) log.append(entry);
    } catch (error) {
      if (!(error instanceof SigningRefusedError)) throw error;
      refusals.push(`${request.id}: ${error.message}`);
    }
  }
  if (refusals.length > 0) throw new SigningRefusedError(refusals.join('\n'));
}
