import type { CheckoutErrorCode } from '../event.ts';
import { sentenceOfFailure } from './trouble.ts';

/**
 * Tells the shop's developer, in the console and in English, what to put right.
 * @param server - The attribute.
 * @returns the buyer's sentence, which is another one
 */
export function explain(code: CheckoutErrorCode, message: string, server: string | null | undefined): string {
  const advice = adviceFor(code, server ?? '');
  if (advice) console.error(`crypto-checkout: ${advice} (${message})`);
  return sentenceOfFailure(code);
}

function adviceFor(code: CheckoutErrorCode, server: string): string {
  // Without a scheme it is a path of the shop's own page.
  if (server && !/^(?:https?:\/\/|\/)/i.test(server)) return `the attribute server="${server}" has to begin with https://`;
  const place = server || location.origin;
  switch (code) {
    case 'setup':
      return 'it is not set up completely';
    case 'network':
      return `${place} cannot be reached from here: does it run, and do its EMBED_ORIGINS name ${location.origin}?`;
    case 'not_found':
      return `${place} knows no such checkout: are the id in "checkout" or "invoice" and the address in "server" right?`;
    case 'refused':
      return `${place} did not accept this`;
    case 'malformed':
      return `${place} answered something else than a checkout: is it the address of the checkout server?`;
    case 'unavailable':
    case 'busy':
    case 'tampered':
    default:
      return '';
  }
}
