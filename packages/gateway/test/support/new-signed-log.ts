import { beginSignedLog, openSignedLog, type SignedLog } from '../../src/signer/signed-log.ts';

/** Opens a signer's log, and begins it where there is none. */
export function newSignedLog(path: string): SignedLog {
  beginSignedLog(path);
  return openSignedLog(path);
}
