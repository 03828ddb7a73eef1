import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { hex, utf8 } from '@scure/base';
import { roundUp, toUnits, type Amount } from '@crypto-checkout/protocol/amount';
import type { DeriveOptions, DepositTarget } from '../adapter.ts';
import type { PublicKeys } from '../keys.ts';
import { encodeBolt11, FEATURES } from './bolt11.ts';
import { encodeLnurl } from './lnurl.ts';

/** One bitcoin is 10¹¹ millisatoshi. */
export const MSAT_DECIMALS = 11;
/** The longest description that wallets display in full. BOLT11 allows 639 bytes. */
const MAX_DESCRIPTION_BYTES = 600;

/** Creates a request signed by the gateway's node key, or for an LNURL kind the LNURL code. */
export function lightningTarget(keys: PublicKeys, options: DeriveOptions): DepositTarget {
  if (options.kind === 'BTC_LIGHTNING_LNURL') return lnurlTarget(options);
  const paymentHash = hex.encode(sha256(derivedSecret(keys, 'preimage', options.index)));
  const paymentRequest = encodeBolt11(
    {
      // The sandbox uses `tb`: wallets recognize it, and never confuse it with the main network.
      prefix: keys.network === 'mainnet' ? 'bc' : 'tb',
      amountMsat: options.amount === null ? null : millisatoshi(options.amount),
      timestamp: Math.floor(options.now / 1000),
      paymentHash,
      paymentSecret: hex.encode(derivedSecret(keys, 'payment secret', options.index)),
      description: options.descriptionHash === undefined ? shortened(options.description) : null,
      descriptionHash: options.descriptionHash ?? null,
      expirySeconds: options.expirySeconds,
      features: FEATURES,
    },
    keys.lightning.nodeKey,
  );
  return target([`ln:${paymentHash}`], { paymentRequest, paymentHash, lnurl: null });
}

/** Millisatoshi of an amount in bitcoin. Finer amounts round up, like every invoiced amount. */
export function millisatoshi(amount: Amount): bigint {
  return toUnits(roundUp(amount, MSAT_DECIMALS), MSAT_DECIMALS);
}

export function lnurlTarget({ lnurl }: DeriveOptions): DepositTarget {
  if (lnurl === undefined) throw new Error('An LNURL kind requires the lnurl option');
  return target([], { paymentRequest: null, paymentHash: null, lnurl: encodeLnurl(lnurl) });
}

export function target(
  watchKeys: readonly string[],
  lightning: DepositTarget['lightning'],
): DepositTarget {
  return { watchKeys, address: null, tag: null, xAddress: null, publicAddress: null, lightning };
}

/** The secrets of request `index`. They are derived again on demand, so none are stored. */
function derivedSecret(keys: PublicKeys, purpose: string, index: number): Uint8Array {
  return hmac(sha256, keys.lightning.nodeKey, utf8.decode(`${purpose} ${index}`));
}

export function shortened(text: string): string {
  const bytes = utf8.decode(text);
  if (bytes.length <= MAX_DESCRIPTION_BYTES) return text;
  // `stream` drops a character that was cut in half.
  return new TextDecoder().decode(bytes.slice(0, MAX_DESCRIPTION_BYTES), { stream: true });
}
