import { type TemplateResult, html, nothing } from 'lit';
import type { Invoice, ListedCallback, Transaction } from '@crypto-checkout/protocol/dashboard';
import { callbackTable } from '../part/callback-table.ts';
import { badge, code, facts, link, money, untrusted, time } from '../part/text.ts';
import { table } from '../part/table.ts';
import { View } from '../part/view.ts';
import { read } from '../server.ts';
import { paid, requested } from './invoices.ts';
import { refundColumns } from './refunds.ts';

interface Answer {
  result: Invoice;
  callbacks: ListedCallback[];
  /** The hosted page, as the buyer sees it. */
  buyer_page: string;
}

export class InvoiceView extends View<Answer> {
  protected override heading(): string {
    return `Invoice ${this.route.id?.slice(0, 8)}`;
  }

  protected override load(signal: AbortSignal): Promise<Answer> {
    return read(`invoices/${this.route.id}/`, signal);
  }

  protected override content({ result: invoice, callbacks, buyer_page }: Answer): TemplateResult {
    const { amount, lightning } = invoice;
    return html`
      <section class="card">
        <h2 class="hidden">Details</h2>
        ${facts([
          ['Status', badge(invoice.status)],
          ['Requested', requested(amount.requested)],
          ['Invoiced', money(amount.invoiced.amount, amount.invoiced.currency)],
          ['Paid', paid(invoice)],
          invoice.custom_fee === null
            ? null
            : ['Fee', money(invoice.custom_fee.amount, invoice.custom_fee.currency)],
          ['Order', untrusted(invoice.order_id)],
          [
            'Buyer’s page',
            html`<a href=${buyer_page} target="_blank" rel="noreferrer">${code(buyer_page)}</a>`,
          ],
          ['Coin', invoice.kind],
          ['Created', time(invoice.created_at, true)],
          ['Expires', invoice.expires_at === null ? 'never' : time(invoice.expires_at, true)],
          ['Address', code(invoice.address)],
          lightning?.payment_request
            ? ['Lightning request', code(lightning.payment_request)]
            : null,
          ['Notes', untrusted(invoice.notes)],
          [
            'Passthrough',
            invoice.passthrough === null
              ? '–'
              : html`<details>
                  <summary>Show</summary>
                  ${untrusted(invoice.passthrough)}
                </details>`,
          ],
          ['Id', code(invoice.id)],
        ])}
      </section>
      <section class="card">
        <h2>Transactions</h2>
        ${invoice.transactions.length > 0 ? payments(invoice.transactions) : html`<p>No payments yet.</p>`}
      </section>
      ${
        invoice.refunds.length === 0
          ? nothing
          : html`<section class="card">
              <h2>Refunds</h2>
              ${table('Refunds of this invoice', refundColumns, invoice.refunds)}
            </section>`
      }
      <section class="card">
        <h2>Callbacks</h2>
        ${callbackTable(callbacks)}
      </section>
    `;
  }
}

const payments = (transactions: readonly Transaction[]): TemplateResult =>
  table(
    'Transactions that paid this invoice',
    [
      { head: 'Transaction', cell: ({ id }) => link('transactions', id) },
      { head: 'Status', cell: ({ status }) => badge(status) },
      {
        head: 'Amount',
        number: true,
        cell: ({ amount }) => money(amount.paid.amount, amount.paid.currency),
      },
      { head: 'Confirmations', number: true, cell: ({ confirmations }) => confirmations },
      { head: 'Seen', cell: ({ created_at }) => time(created_at) },
    ],
    transactions,
  );
