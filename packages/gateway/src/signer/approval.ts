import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign as signBytes,
  verify,
} from 'node:crypto';
import { z } from 'zod';

export const approvedRecipient = z.strictObject({
  address: z.string().min(1).max(100),
  /** A destination tag, or the memo that goes with the transfer. */
  tag: z.string().max(4096).nullable(),
  /** In the coin, as a decimal string. */
  amount: z.string().max(40),
});
export type ApprovedRecipient = z.infer<typeof approvedRecipient>;

/** The content of an approval: everything that leaves, and until when. */
export interface ApprovedPayout {
  network: 'mainnet' | 'testnet';
  chain: string;
  kind: string;
  id: string;
  /** In the order of the transaction. */
  recipients: readonly ApprovedRecipient[];
  /** Highest fee in the chain's coin, as a decimal string. */
  fee: string;
  /** Seconds since the epoch. */
  expires_at: number;
}

export const approval = z.strictObject({
  /** Public key of the approver. */
  key: z.string().max(64),
  expires_at: z.int(),
  /** Highest fee in the chain's coin. */
  fee: z.string().max(40),
  signature: z.string().max(128),
});
export type Approval = z.infer<typeof approval>;

const CONTROL = /\p{Cc}/u;

/**
 * The bytes that an approver signs: lines in a fixed order, three for each recipient, so that no
 * two payouts have the same.
 * @throws RangeError for a control character, which could imitate another line
 */
export function approvalBytes(payout: ApprovedPayout): Buffer {
  if (hasControlCharacter(payout))
    throw new RangeError('An approval cannot contain control characters');
  return Buffer.from(linesOf(payout).join('\n'), 'utf8');
}

const hasControlCharacter = (payout: ApprovedPayout): boolean =>
  linesOf(payout).some((line) => CONTROL.test(line));

function linesOf(payout: ApprovedPayout): string[] {
  const { network, chain, kind, id, recipients, fee, expires_at } = payout;
  return [
    'crypto-checkout-approval-v1',
    network,
    chain,
    kind,
    id,
    ...recipients.flatMap(({ address, tag, amount }) => [withoutCase(address), tag ?? '', amount]),
    fee,
    String(expires_at),
  ];
}

/** Hex and bech32 (BIP 173) are the same in both cases; base58 is not. */
const withoutCase = (address: string): string =>
  /^0x/i.test(address) || address === address.toUpperCase() ? address.toLowerCase() : address;

/** An Ed25519 key pair (RFC 8032), as base64url. */
export function createApproverKey(): { key: string; secret: string } {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { x = '', d = '' } = privateKey.export({ format: 'jwk' });
  return { key: x, secret: d };
}

export function approve(
  payout: ApprovedPayout,
  { key, secret }: { key: string; secret: string },
): Approval {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: key, d: secret };
  const signature = signBytes(
    null,
    approvalBytes(payout),
    createPrivateKey({ key: jwk, format: 'jwk' }),
  );
  const { expires_at, fee } = payout;
  return { key, expires_at, fee, signature: signature.toString('base64url') };
}

/** Whether one of the approvers signed exactly this payout. */
export function isApproved(
  payout: ApprovedPayout,
  { key, signature }: Approval,
  approvers: readonly string[],
): boolean {
  if (!approvers.includes(key) || hasControlCharacter(payout)) return false;
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: key };
  return verify(
    null,
    approvalBytes(payout),
    createPublicKey({ key: jwk, format: 'jwk' }),
    Buffer.from(signature, 'base64url'),
  );
}
