import { formatAmount, parseAmount } from '@crypto-checkout/protocol/amount';
import { toBase64Url, utf8 } from '@crypto-checkout/protocol/bytes';
import { kindOf } from '@crypto-checkout/protocol/kind';
import { type Receipt, RECEIPT_TYPE } from '@crypto-checkout/protocol/schema/receipt';
import { signText } from '../account/proof-key.ts';
import { currentProofKey } from '../account/proof-key-store.ts';
import type { Context } from '../context.ts';
import type { Db } from '../database/database.ts';
import { ServiceError } from '../http/error.ts';
import { getInvoice } from './get.ts';
import { presentInvoice } from './present.ts';
import { type PaidStatus, statusAlone, statusInOrder } from './receipt-status.ts';
import {
  asksForWhole,
  countedPayments,
  type CountedPayment,
  returnedMoney,
  type ReturnedMoney,
} from './receipt-store.ts';
import type { InvoiceView } from './store.ts';

/**
 * A signed receipt of a paid invoice: a compact JWS (RFC 7515) with EdDSA (RFC 8037), from the
 * service's own facts. Payments of the order's other invoices are part of it.
 * @throws ServiceError `NotFound`, or `InvalidState` before it is paid
 */
export async function signReceipt(
  context: Context,
  accountId: string,
  id: string,
): Promise<{ receipt: string }> {
  const { db, clock, secrets } = context;
  const invoice = await getInvoice(context, accountId, id);
  const payments = await countedPayments(db, invoice);
  const status = await receiptStatus(db, invoice, payments);
  if (status === null)
    throw new ServiceError(
      'InvalidState',
      `The invoice is ${invoice.status}; there is a receipt once it is paid.`,
    );
  const key = await currentProofKey(db, accountId);
  if (key === null) throw new Error('The account has no key for receipts');
  const facts = { status, payments, refunds: await returnedMoney(db, invoice) };
  const claims = claimsOf(invoice, facts, clock.now());
  const header = { alg: 'EdDSA', typ: RECEIPT_TYPE, kid: key.kid };
  const text = `${encoded(header)}.${encoded(claims)}`;
  return { receipt: `${text}.${signText(secrets, key, text)}` };
}

/** The status that a receipt states; null before the invoice is paid. */
async function receiptStatus(
  db: Db,
  invoice: InvoiceView,
  payments: readonly CountedPayment[],
): Promise<PaidStatus | null> {
  const alone = statusAlone(invoice, payments);
  if (alone !== null) return alone;
  const inOrder = statusInOrder(invoice, payments);
  return inOrder !== null && (await asksForWhole(db, invoice)) ? inOrder : null;
}

const encoded = (value: object): string => toBase64Url(utf8(JSON.stringify(value)));

interface Facts {
  status: PaidStatus;
  payments: readonly CountedPayment[];
  refunds: readonly ReturnedMoney[];
}

function claimsOf(view: InvoiceView, { status, payments, refunds }: Facts, now: number): Receipt {
  const { id, kind, network, amount, created_at, order_id } = presentInvoice(view);
  const { requested, invoiced } = amount;
  return {
    iat: Math.floor(now / 1000),
    account_id: view.account_id,
    invoice_id: id,
    order_id,
    network,
    kind,
    status,
    final: status === 'complete' && payments.every((payment) => payment.status === 'complete'),
    amount: requested,
    invoiced: { amount: invoiced.amount, currency: invoiced.currency },
    created_at,
    payments: payments.map(paymentOf),
    refunds: refunds.map(withSymbol),
  };
}

const paymentOf = (payment: CountedPayment): Receipt['payments'][number] => {
  const { invoice_id, kind, txid, amount, status, late, created_at, confirmed_at } = payment;
  return withSymbol({ invoice_id, kind, txid, amount, status, late, created_at, confirmed_at });
};

/** The amount on the wire. */
function withSymbol<Row extends { kind: string; amount: string }>({ amount, ...row }: Row) {
  const currency = kindOf(row.kind)?.symbol ?? row.kind;
  return { ...row, amount: { amount: formatAmount(parseAmount(amount)), currency } };
}
