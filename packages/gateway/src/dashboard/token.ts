import { createHash } from 'node:crypto';
import type { Ids } from '../context.ts';

/** 32 random bytes; the text is what a link or a cookie carries, the hash is what the database keeps. */
export function newToken(ids: Ids): { token: string; hash: string } {
  const token = Buffer.from(ids.bytes(32)).toString('base64url');
  return { token, hash: hashToken(token) };
}

/** A plain hash is enough: there are 256 bits to guess. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex');
