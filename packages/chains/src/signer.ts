import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58, hex, utf8 } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import { evmAddress } from './evm/address.ts';
import type { EvmPlan, SandboxPlan, SendPlan, SignedTransaction } from './sender.ts';
import { signBitcoin } from './bitcoin/sign.ts';
import { signEvm } from './evm/send/sign.ts';

/** The reason why a transaction is sent. Limits are set for each. */
export const PURPOSES = ['payout', 'refund', 'automatic_payout', 'sweep', 'top_up'] as const;
export type Purpose = (typeof PURPOSES)[number];
/** A purpose whose money leaves these keys. */
export type PayoutPurpose = Exclude<Purpose, 'sweep' | 'top_up'>;

export const isPayoutPurpose = (purpose: Purpose): purpose is PayoutPurpose =>
  purpose !== 'sweep' && purpose !== 'top_up';

export interface SignRequest {
  /**
   * Id of the payout, sweep or top-up. One id has one plan, or plans of which only one can be
   * mined.
   */
  id: string;
  purpose: Purpose;
  plan: SendPlan;
  /** Index of our own receiving key, where the recipient is a deposit address. */
  recipientIndex?: number | null;
}

/**
 * The only component that holds private keys. It serializes the plan itself, so a caller can't make
 * it sign anything but the plan. It can run in another process.
 */
export interface Signer {
  /**
   * Signs deterministically: the same plan always returns the same bytes.
   * @throws SigningRefusedError when the signer's policy does not allow it
   * @throws SignatureAwaitedError when it is signed elsewhere
   * @throws UnavailableError when the signer does not answer; it may have signed
   * @throws Error when the plan's key is not derived from this seed
   */
  sign(request: SignRequest): Promise<SignedTransaction>;
  /**
   * Why a signer in another process cannot be reached, as the end of a sentence; null when it
   * answers. Absent where there is none.
   */
  problem?(): Promise<string | null>;
}

/** The signer's policy does not allow the transaction; it was not signed. */
export class SigningRefusedError extends Error {
  override readonly name = 'SigningRefusedError';
}

/** The transaction is signed on another machine, later: its plan is kept until then. */
export class SignatureAwaitedError extends Error {
  override readonly name = 'SignatureAwaitedError';
}

const EVM_ACCOUNT = "m/44'/60'/0'";
/** A key without funds on any real chain. */
const SANDBOX_KEY = "m/44'/1'/2147483646'/0/0";

/** Creates a signer that holds the operator's mnemonic in this process. */
export function createSigner(seed: Uint8Array): Signer {
  const root = HDKey.fromMasterSeed(seed);
  const keyAt = (path: string): Uint8Array => {
    const { privateKey } = root.derive(path);
    if (privateKey === null) throw new Error(`No private key at ${path}`);
    return privateKey;
  };
  return {
    async sign({ plan }) {
      switch (plan.family) {
        case 'evm':
          return signEvmPlan(plan, keyAt(`${EVM_ACCOUNT}/${plan.from.branch}/${plan.from.index}`));
        case 'lightning':
          // The node signs its payments itself; the macaroon allows it.
          return { raw: JSON.stringify(plan), txid: plan.paymentHash };
        case 'bitcoin':
          return signBitcoin(plan, (path) => keyAt(path));
        case 'sandbox':
          return signSandboxPlan(plan, keyAt(SANDBOX_KEY));
        default:
          throw new Error(`Unknown plan ${String(plan satisfies never)}`);
      }
    },
  };
}

function signEvmPlan(plan: EvmPlan, key: Uint8Array): SignedTransaction {
  const own = evmAddress(secp256k1.getPublicKey(key, false));
  if (own.toLowerCase() !== plan.from.address.toLowerCase())
    throw new Error(`No key of this wallet derives the address ${plan.from.address}`);
  return signEvm(plan, key);
}

function signSandboxPlan(plan: SandboxPlan, key: Uint8Array): SignedTransaction {
  const message = JSON.stringify(plan);
  const digest = sha256(utf8.decode(message));
  const signature = hex.encode(secp256k1.sign(digest, key, { prehash: false }));
  return { raw: JSON.stringify({ message, signature }), txid: sandboxTxid(plan.chain, digest) };
}

/** The id of a simulated transaction in the format of its chain. */
export function sandboxTxid(chain: ChainId, digest: Uint8Array): string {
  const digits = hex.encode(digest);
  if (chain === 'solana') return base58.encode(Uint8Array.from([...digest, ...sha256(digest)]));
  if (CHAINS[chain].family === 'evm') return `0x${digits}`;
  return chain === 'xrp' ? digits.toUpperCase() : digits;
}
