import './style.css';
import { OperatorDashboard } from './app.ts';
import { ConfirmDialog } from './part/confirm.ts';
import { CallbackView } from './view/callback.ts';
import { CallbacksView } from './view/callbacks.ts';
import { HomeView } from './view/home.ts';
import { InvoiceView } from './view/invoice.ts';
import { InvoicesView } from './view/invoices.ts';
import { PayoutView } from './view/payout.ts';
import { PayoutsView } from './view/payouts.ts';
import { RefundView } from './view/refund.ts';
import { RefundsView } from './view/refunds.ts';
import { SignInView } from './view/sign-in.ts';
import { TransactionView } from './view/transaction.ts';
import { TransactionsView } from './view/transactions.ts';

/** Defined before the first render; app.ts loads the others when they are opened. */
const elements: Readonly<Record<string, CustomElementConstructor>> = {
  'confirm-dialog': ConfirmDialog,
  'sign-in-view': SignInView,
  'home-view': HomeView,
  'invoices-view': InvoicesView,
  'invoice-view': InvoiceView,
  'transactions-view': TransactionsView,
  'transaction-view': TransactionView,
  'payouts-view': PayoutsView,
  'payout-view': PayoutView,
  'refunds-view': RefundsView,
  'refund-view': RefundView,
  'callbacks-view': CallbacksView,
  'callback-view': CallbackView,
  'operator-dashboard': OperatorDashboard,
};
for (const [name, element] of Object.entries(elements)) customElements.define(name, element);
