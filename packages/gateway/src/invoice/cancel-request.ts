import { currentProofKey } from '../account/proof-key-store.ts';
import type { Context } from '../context.ts';
import { milliseconds, timestamp, transact, type Trx } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { getInvoice } from './get.ts';
import { proveInvoice } from './proof.ts';
import { renewalFacts } from './renewal-store.ts';
import { closeRequest, endQuote } from './request-store.ts';
import { findInvoices, lockInvoices, type InvoiceRow, type InvoiceView } from './store.ts';

/**
 * Ends the lightning request of an invoice that is paid in another way: its node refuses payments
 * from then on. A lightning invoice expires with its request, and can be renewed; one with an
 * address stays payable there. Repeating it changes nothing. A payment that was faster counts.
 * @throws ServiceError `InvalidState` for an invoice without such a request
 */
export async function cancelRequest(
  context: Context,
  accountId: string,
  id: string,
): Promise<InvoiceView> {
  const seen = await getInvoice(context, accountId, id);
  await transact(context.db, async (trx) => {
    const invoice = (await lockInvoices(trx, [id])).find((row) => row.id === id);
    if (!invoice) throw new ServiceError('NotFound', 'There is no invoice with this id.');
    await cancel(trx, context, invoice);
  });
  const [ended] = await findInvoices(context.db, [id], accountId);
  return ended ?? seen;
}

async function cancel(trx: Trx, context: Context, invoice: InvoiceRow): Promise<void> {
  const { id, lightning, request_closed, status, chain, expires_at } = invoice;
  const paymentHash = lightning?.paymentHash ?? null;
  if (paymentHash === null || expires_at === null)
    throw new ServiceError('InvalidState', 'The invoice has no lightning request that ends.');
  const now = context.clock.now();
  const at = timestamp(now);
  const { paid } = await renewalFacts(trx, id, at);
  if (request_closed || status !== 'new' || paid) return;
  if (chain === 'lightning' && now < milliseconds(expires_at)) {
    const key = await currentProofKey(trx, invoice.account_id);
    const proof = proveInvoice(context.secrets, key, { ...invoice, expires_at: at });
    await endQuote(trx, { id, at, proof });
  }
  await closeRequest(trx, { id, paymentHash, at });
}
