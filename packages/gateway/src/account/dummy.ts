import { randomBytes } from 'node:crypto';

/** Signs for keys that don't exist, so that an unknown key takes as long as a wrong signature. */
export const UNKNOWN_KEY_SECRET = randomBytes(32).toString('hex');
