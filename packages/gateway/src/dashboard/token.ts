import { createHash } from 'node:crypto';
import type { Ids } from '../context.ts';

/** 32 random bytes: a link or a cookie carries the text, the database stores the hash. */
export function newToken(ids: Ids): { token: string; hash: string } {
  const token = Buffer.from(ids.bytes(32)).toString('base64url');
  return { token, hash: hashToken(token) };
}

/** A plain hash is enough for 256 random bits. */
export const hashToken = (token: string): string =>
  createHash('sha256').update(token).digest('hex');
