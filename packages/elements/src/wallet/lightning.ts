import type { Injected, Outcome } from './ethereum.ts';
import type { WalletRequest } from './request.ts';

/** WebLN, as browser extensions and lightning wallets provide it. */
interface WebLn {
  enable(): Promise<unknown>;
  sendPayment(request: string): Promise<unknown>;
  lnurl?(request: string): Promise<unknown>;
}

/** WebLN has no error codes; wallets reject with these words. */
const REJECTED = /\b(?:reject|cancel|den(?:y|ied)|abort)/i;

/** Finds the lightning wallet of this browser; it also pays a request beside an address. */
export function findLightning({ beside, ...own }: WalletRequest): Injected[] {
  const { webln } = globalThis as { webln?: WebLn };
  const { family } = beside ?? own;
  const can =
    family === 'lightning' ? webln?.sendPayment : family === 'lnurl' ? webln?.lnurl : undefined;
  return typeof can === 'function'
    ? [
        {
          name: 'alby' in globalThis ? 'Alby' : 'WebLN',
          pay: (request) => payLightning(webln!, request.beside ?? request),
        },
      ]
    : [];
}

async function payLightning(webln: WebLn, { family, to }: WalletRequest): Promise<Outcome> {
  try {
    await webln.enable();
  } catch {
    return 'refused';
  }
  try {
    await (family === 'lightning' ? webln.sendPayment(to) : webln.lnurl!(to));
    return 'sent';
  } catch (error) {
    return REJECTED.test(String((error as Error | null)?.message ?? error)) ? 'refused' : 'unknown';
  }
}
