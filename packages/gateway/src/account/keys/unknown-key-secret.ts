import { randomBytes } from 'node:crypto';

/** The secret for unknown keys, so that an unknown key takes as long as a wrong signature. */
export const UNKNOWN_KEY_SECRET = randomBytes(32).toString('hex');
