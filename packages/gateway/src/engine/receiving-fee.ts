import type { ChainId } from '@crypto-checkout/protocol/kind';
import type { Observation } from '@crypto-checkout/chains/adapter';
import type { Trx } from '../database/database.ts';
import { postExcessFee } from '../ledger/excess-fee.ts';
import { draftKey, type Batch } from '../settlement/batch.ts';

/**
 * Posts the costs of receiving, with the payment that they were taken out of: its buyer paid the
 * whole amount. Each is posted once, when the payment is stored first.
 */
export async function postReceivingFees(
  trx: Trx,
  chain: ChainId,
  { drafts }: Batch,
  { observations, at }: { observations: readonly Observation[]; at: string },
): Promise<void> {
  for (const { key, receivingFee = 0n } of observations) {
    const draft = drafts.get(draftKey(chain, key));
    if (receivingFee <= 0n || draft === undefined || draft.stored !== null) continue;
    const { id, account_id, wallet_id, asset } = draft.row;
    await postExcessFee(
      trx,
      {
        accountId: account_id,
        walletId: wallet_id,
        currency: asset,
        resourceId: id,
        reason: 'receiving_fee',
        amount: receivingFee,
      },
      at,
    );
  }
}
