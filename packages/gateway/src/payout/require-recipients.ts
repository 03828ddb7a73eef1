import type { ChainSender } from '@crypto-checkout/chains/sender';
import type { Context } from '../context.ts';
import type { ProfileRow } from '../profile/store.ts';
import { invalid, invalidAddress } from '../http/invalid.ts';
import { requireAnswer } from './fee.ts';
import type { Recipient } from './recipient.ts';
import type { PayoutRequest } from './request.ts';

/** Such a payout would leave the books and come nowhere. */
export function requireForeign({ sweeping }: ChainSender, recipients: readonly Recipient[]): void {
  const own = sweeping?.payoutAddress.toLowerCase();
  for (const [index, { address }] of recipients.entries())
    if (address.toLowerCase() === own)
      throw invalidAddress(
        `recipients.${index}.address`,
        `${address} is the address that payouts are sent from`,
      );
}

/** A contract may lock funds that it receives, so the profile must allow it. */
export async function requireNoContracts(
  profile: ProfileRow,
  sender: ChainSender,
  recipients: readonly Recipient[],
): Promise<void> {
  if (profile.allow_smart_contract_payouts || sender.isContract === undefined) return;
  for (const [index, { address }] of recipients.entries()) {
    if (await requireAnswer(sender, sender.isContract(address)))
      throw invalidAddress(
        `recipients.${index}.address`,
        `${address} is a smart contract, and the profile does not allow payouts to contracts`,
      );
  }
}

/** A real node keeps the coins of lightning in its channels, apart from those on the chain. */
export function requirePossible({ chains }: Context, { kind }: PayoutRequest['kind']): void {
  if (kind === 'BTC_LIGHTNING_TO_BTC' && chains.get('lightning')?.source === 'node')
    throw invalid(
      'kind',
      'must not be BTC_LIGHTNING_TO_BTC on a real lightning node, whose coins are in its channels; pay out BTC, which is sent from the on-chain wallet',
    );
}
