import { msg, str } from '../i18n/locale.ts';
import type { Outcome } from './ethereum.ts';

/** The sentence about the answer of a wallet in this browser. */
export function outcomeText(outcome: Outcome, name: string, network: string): string {
  switch (outcome) {
    case 'sent':
      return msg(str`${name} has sent the payment. It will show up here in a moment.`, {
        id: 'wallet.sent',
      });
    case 'refused':
      return msg(str`${name} did not send the payment. Nothing was paid.`, {
        id: 'wallet.refused',
      });
    case 'network':
      return msg(
        str`${name} could not switch to ${network}. Please switch it there and try again.`,
        { id: 'wallet.network' },
      );
    case 'unknown':
      return msg(
        str`${name} did not say whether it paid. Please look there before you pay again.`,
        { id: 'wallet.unknown' },
      );
    default:
      return assertNever(outcome);
  }
}

const assertNever = (outcome: never): never => {
  throw new Error(String(outcome));
};
