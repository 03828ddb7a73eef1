import { runAutomaticRules } from '../automation/run-rules.ts';
import { runAutomaticPayouts } from '../automation/payout/run.ts';
import type { Context } from '../context.ts';
import { processConversions } from '../conversion/process.ts';
import { scanChain } from '../engine/scan.ts';
import { endRequests } from '../settlement/end-requests.ts';
import { expireInvoices } from '../settlement/expire-invoices.ts';
import { payoutFunding } from '../payout/sending/conversion-funding.ts';
import { processPayouts } from '../payout/sending/process.ts';
import { approveDueRefunds } from '../refund/automatic.ts';
import { followRefunds } from '../refund/follow.ts';
import { markUnconfirmedTransactions } from '../settlement/mark-unconfirmed.ts';

const CHAINS_AT_ONCE = 4;

/**
 * Does all work that is due now: scans every chain to its tip, then expires invoices, ages
 * transactions, and runs automation, conversions and payouts. A chain that does not answer delays
 * no other.
 */
export async function settle(context: Context): Promise<void> {
  const chains = [...context.chains.keys()];
  const scanNext = async (): Promise<void> => {
    for (let chain = chains.shift(); chain !== undefined; chain = chains.shift()) {
      await scanChain(context, chain).catch((error: unknown) =>
        context.log.warn(
          { event: 'chain_scan_failed', chain, err: error },
          'a chain could not be scanned',
        ),
      );
    }
  };
  await Promise.all(Array.from({ length: CHAINS_AT_ONCE }, scanNext));
  await endRequests(context);
  await expireInvoices(context);
  await markUnconfirmedTransactions(context);
  await runAutomaticRules(context);
  await processConversions(context, { payoutFunding: payoutFunding(context) });
  await runAutomaticPayouts(context);
  await approveDueRefunds(context);
  await processPayouts(context);
  // A payout that lacks funds has asked for a conversion; once that is done, the payout is sent.
  await processConversions(context, { payoutFunding: payoutFunding(context) });
  await processPayouts(context);
  await followRefunds(context);
}
