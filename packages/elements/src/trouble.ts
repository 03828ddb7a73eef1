import type { CheckoutErrorCode } from './event.ts';
import { msg } from './locale.ts';

/** What went wrong, for the buyer. */
export function sentenceOfFailure(code: CheckoutErrorCode): string {
  switch (code) {
    case 'setup':
      return msg('The shop has not set up this checkout completely. Please tell the shop.', { id: 'error.setup' });
    case 'network':
      return msg('The payment server cannot be reached. Please check your connection.', { id: 'error.network' });
    case 'unavailable':
    case 'busy':
      return msg('The payment server is busy at the moment. Please try again soon.', { id: 'error.unavailable' });
    case 'not_found':
      return msg('This payment does not exist, or its link has ended.', { id: 'error.not_found' });
    case 'refused':
      return msg('The payment server did not accept this. Please go back to the shop and try again.', { id: 'error.refused' });
    case 'malformed':
      return msg('The payment server answered something that this page does not understand.', { id: 'error.malformed' });
  }
}
