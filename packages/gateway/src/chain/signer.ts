import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58, hex, utf8 } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { CHAINS, type ChainId } from '@crypto-checkout/protocol/kind';
import { evmAddress } from './derive/evm.ts';
import type { EvmPlan, SandboxPlan, SendPlan, SignedTransaction } from './sender.ts';
import { signEvm } from './sign-evm.ts';

/**
 * The only part that holds private keys. It sees a plan in words and makes the bytes itself, so that whoever asks can't have it
 * sign something else than what the plan says; it may live in another process.
 */
export interface Signer {
  /**
   * The same plan always gives the same bytes.
   * @throws Error when the plan is not one that our keys can sign
   */
  sign(plan: SendPlan): Promise<SignedTransaction>;
}

const EVM_ACCOUNT = "m/44'/60'/0'";
/** A key that owns nothing on any real chain. */
const SANDBOX_KEY = "m/44'/1'/2147483646'/0/0";

/** Signs with the operator's own mnemonic, in this process. */
export function createSigner(seed: Uint8Array): Signer {
  const root = HDKey.fromMasterSeed(seed);
  const keyAt = (path: string): Uint8Array => {
    const { privateKey } = root.derive(path);
    if (privateKey === null) throw new Error(`No private key at ${path}`);
    return privateKey;
  };
  return {
    async sign(plan) {
      switch (plan.family) {
        case 'evm':
          return signEvmPlan(plan, keyAt(`${EVM_ACCOUNT}/${plan.from.branch}/${plan.from.index}`));
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
  if (own.toLowerCase() !== plan.from.address.toLowerCase()) throw new Error(`The address ${plan.from.address} is not one of our keys`);
  return signEvm(plan, key);
}

function signSandboxPlan(plan: SandboxPlan, key: Uint8Array): SignedTransaction {
  const message = JSON.stringify(plan);
  const digest = sha256(utf8.decode(message));
  const signature = hex.encode(secp256k1.sign(digest, key, { prehash: false }));
  return { raw: JSON.stringify({ message, signature }), txid: sandboxTxid(plan.chain, digest) };
}

/** Of a simulated transaction, as its chain writes one. */
export function sandboxTxid(chain: ChainId, digest: Uint8Array): string {
  const digits = hex.encode(digest);
  if (chain === 'solana') return base58.encode(Uint8Array.from([...digest, ...sha256(digest)]));
  if (CHAINS[chain].family === 'evm') return `0x${digits}`;
  return chain === 'xrp' ? digits.toUpperCase() : digits;
}
