import { kindOf } from '@crypto-checkout/protocol/kind';
import { z } from 'zod';
import { isSandboxAllowed } from '../sandbox/routes.ts';
import { payInvoice } from '../sandbox/pay.ts';
import { createSandboxWorld } from '../sandbox/world.ts';
import { scanChain } from '../engine/scan.ts';
import type { Context } from '../context.ts';
import { ServiceError } from '../http/error.ts';
import { createInvoice } from '../invoice/create.ts';

export const testTransactionSchema = z.object({
  profile_id: z.string(),
  kind: z.string(),
  amount: z.string().default('10'),
  currency: z.string().default('USD'),
  /** Also mines blocks on the simulated chain until the payment is final. */
  complete: z.boolean().default(false),
});

/**
 * Creates an invoice on a profile and pays it where its chain is simulated, so that the profile's
 * callback address receives ordinary callbacks. On a test network with a node the invoice waits for
 * a payment from a test wallet.
 * @throws ServiceError `InvalidState` on a main network, and every refusal of an invoice
 */
export async function sendTestTransaction(
  context: Context,
  account: { id: string; isTestnet: boolean },
  { profile_id, kind, amount, currency, complete }: z.output<typeof testTransactionSchema>,
): Promise<{ invoiceId: string; paid: boolean }> {
  if (!account.isTestnet || !isSandboxAllowed(context))
    throw new ServiceError(
      'InvalidState',
      'A test transaction can only be sent on a test network: on this one it would be real money.',
    );
  const invoice = await createInvoice(context, account.id, {
    profile_id,
    kind,
    amount,
    currency,
    notes: 'Test transaction from the dashboard',
  });
  const { chain, finalConfirmations } = kindOf(invoice.kind)!;
  if (context.chains.get(chain)?.source !== 'sandbox')
    return { invoiceId: invoice.id, paid: false };
  const world = createSandboxWorld(context);
  await payInvoice(context, world, { invoiceId: invoice.id });
  await scanChain(context, chain);
  if (complete && chain !== 'lightning') {
    await world.mine(chain, finalConfirmations);
    await scanChain(context, chain);
  }
  return { invoiceId: invoice.id, paid: true };
}
