import { resourceOf, type Event } from '@crypto-checkout/protocol/event';
import { withCurrencyDecimals } from '@crypto-checkout/protocol/currency';
import { kindOf } from '@crypto-checkout/protocol/kind';
import type { presentInvoice } from '../invoice/present.ts';
import type { presentPayout } from '../payout/present.ts';
import type { presentTransaction } from '../transaction/present.ts';

/**
 * Content of a notice, fixed when the event happened: never `passthrough`, `reference_id`, notes or
 * addresses.
 */
export interface NoticeContent {
  profile: string;
  /** For example `Bitcoin`. */
  coin: string;
  /** For example `Bitcoin (BTC)`: the coin and its chain. */
  chain: string;
  test: boolean;
  /** The amount in the subject, such as `100 USD`. */
  sum: string;
  /** Further lines, in order. */
  facts: { name: string; value: string }[];
  /** The hosted page; null for a payout. */
  invoiceId: string | null;
}

/** @param shown the body of the event's callback */
export function noticeContent(event: Event, shown: object, profile: string): NoticeContent {
  switch (resourceOf(event)) {
    case 'invoice':
      return ofInvoice(shown as ReturnType<typeof presentInvoice>, profile);
    case 'transaction':
      return ofTransaction(shown as ReturnType<typeof presentTransaction>, profile);
    case 'payout':
      return ofPayout(shown as ReturnType<typeof presentPayout>, profile);
    case 'refund':
    default:
      throw new Error(`There is no notice of ${event}`);
  }
}

interface Money {
  amount: string;
  currency: string;
}
/** Formats an amount for people. */
const money = ({ amount, currency }: Money): string =>
  `${withCurrencyDecimals(amount, currency)} ${currency}`;

function ofInvoice(
  { id, kind, network, amount }: ReturnType<typeof presentInvoice>,
  profile: string,
): NoticeContent {
  const { requested, invoiced, paid } = amount;
  return {
    ...common(kind, network, profile),
    sum: money(requested),
    facts: [
      { name: 'Requested', value: money(requested) },
      { name: 'Invoiced', value: money(invoiced) },
      ...(paid === null ? [] : [{ name: 'Paid', value: money(paid) }]),
      { name: 'Invoice', value: id },
    ],
    invoiceId: id,
  };
}

function ofTransaction(
  transaction: ReturnType<typeof presentTransaction>,
  profile: string,
): NoticeContent {
  const { id, kind, network, amount, txid, confirmations, invoice } = transaction;
  const usd = (amount.paid.quotes as Record<string, string | undefined>)['USD'];
  return {
    ...common(kind, network, profile),
    sum: money(amount.paid),
    facts: [
      { name: 'Amount', value: money(amount.paid) },
      ...(usd === undefined
        ? []
        : [{ name: 'Worth', value: money({ amount: usd, currency: 'USD' }) }]),
      { name: 'Confirmations', value: String(confirmations) },
      { name: 'Transaction', value: txid },
      { name: 'Our id', value: id },
      { name: 'Invoice', value: invoice.id },
    ],
    invoiceId: invoice.id,
  };
}

function ofPayout(payout: ReturnType<typeof presentPayout>, profile: string): NoticeContent {
  const { id, kind, network, amount, txid, confirmations, recipients } = payout;
  // The one payout kind without a coin of its own sends bitcoin.
  const coin = kindOf(kind) ?? kindOf('BTC')!;
  const sum = money({ amount: amount.total, currency: coin.symbol });
  return {
    ...common(coin.kind, network, profile),
    sum,
    facts: [
      { name: 'Amount', value: sum },
      {
        name: 'Network fee',
        value: money({ amount: amount.network_fee, currency: amount.network_fee_currency }),
      },
      { name: 'Recipients', value: String(recipients.length) },
      { name: 'Confirmations', value: String(confirmations) },
      ...(txid === '' ? [] : [{ name: 'Transaction', value: txid }]),
      { name: 'Payout', value: id },
    ],
    invoiceId: null,
  };
}

function common(kind: string, network: string, profile: string) {
  const known = kindOf(kind);
  return {
    profile,
    coin: known?.name ?? kind,
    chain: known?.network ?? kind,
    test: network !== 'mainnet',
  };
}
