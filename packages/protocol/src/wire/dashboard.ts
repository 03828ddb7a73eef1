import type { CallbackResource } from './event.ts';

/**
 * The answers of the dashboard's API, reduced to the members that it shows. The gateway's functions
 * return these types.
 */

/** An amount with its currency, or with the symbol of its coin. */
export interface Money {
  amount: string;
  currency: string;
}

/** The signed-in person and their account. */
export interface Session {
  account: { id: string; name: string; network: 'testnet' | 'mainnet' };
  email: string | null;
  ends_at: string;
  /** Whether a test transaction is possible. */
  can_test: boolean;
}

export interface Page<T> {
  pagination: {
    num_pages: number;
    count: number;
    page: number;
    next_page: number | null;
    previous_page: number | null;
  };
  result: T[];
}

export interface ListedInvoice {
  id: string;
  kind: string;
  created_at: string;
  expires_at: string | null;
  profile_id: string;
  status: string;
  address: string | null;
  lightning: { payment_request: string | null } | null;
  amount: { requested: Money; invoiced: Money & { rate_usd?: string }; paid: Money | null };
  custom_fee: Money | null;
  min_confirmations: number | null;
  order_id: string | null;
  notes: string | null;
  passthrough: string | null;
  uncounted: UncountedMoney[];
}

/** Money of an invoice that does not count towards it, or that was returned. */
export interface UncountedMoney extends Money {
  reason: 'held' | 'wrong_coin' | 'late' | 'refunded';
}

export interface Invoice extends ListedInvoice {
  transactions: Transaction[];
  /** Newest first. */
  refunds: Refund[];
}

export interface Transaction {
  id: string;
  kind: string;
  txid: string;
  invoice: {
    id: string;
    profile_id: string;
    address: string | null;
    notes: string | null;
    passthrough: string | null;
  };
  /** The shop's order of its invoice. */
  order_id: string | null;
  amount: { paid: Money & { quotes: Record<string, string> } };
  created_at: string;
  executed_at: string | null;
  confirmed_at: string | null;
  confirmations: number;
  status: string;
  zero_conf_status: string | null;
  risk_level: string | null;
  risk_data: unknown;
}

export interface Payout {
  id: string;
  kind: string;
  txid: string;
  created_at: string;
  approved_at: string | null;
  approved_by: { username: string; email: string | null } | null;
  executed_at: string | null;
  /** Time of sending; in the detail view only. */
  scheduled_at?: string | null;
  /** Whether it can be rejected now; in the detail view only. */
  is_waiting?: boolean;
  /** Whether its transaction can be replaced now; in the detail view only. */
  is_replaceable?: boolean;
  /** Whether its newest transaction pays nobody; in the detail view only. */
  is_cancelling?: boolean;
  profile_id: string;
  wallet_id: string;
  confirmations: number;
  status: string;
  amount: { total: string; network_fee: string; network_fee_currency: string };
  network_fee_pays: string;
  passthrough: string | null;
  reference_id: string | null;
  error: string | null;
  recipients: {
    id: string;
    address: string;
    amount: { requested: Money; received: Money };
    notes: string | null;
    destination_tag?: string;
  }[];
}

export interface Refund {
  id: string;
  transaction_id: string;
  invoice_id: string;
  /** The shop's order of its invoice. */
  order_id: string | null;
  payout_id: string | null;
  kind: string;
  status: string;
  cause: string;
  address: string;
  destination_tag: string | null;
  amount: Money;
  /** The amount that arrives; an estimate until it is approved. */
  received: Money;
  network_fee_pays: string;
  /** Whether the request came from the buyer of the order. */
  is_proven: boolean;
  reference_id: string | null;
  reason: string | null;
  txid: string | null;
  error: string | null;
  created_at: string;
}

/** A callback in a list, with its latest outcome. */
export interface ListedCallback {
  id: string;
  resource: CallbackResource;
  resource_id: string;
  event: string;
  /** Its destination when it was queued; each delivery has the address that it went to. */
  url: string;
  state: 'pending' | 'delivered' | 'failed';
  /** Number of scheduled attempts. */
  attempts: number;
  /** Number of manual attempts. */
  resends: number;
  created_at_real: string;
  /** Due time; meaningless once the state is not `pending`. */
  next_at_real: string;
  /** Status code of the newest delivery; null before the first and without an answer. */
  last_status_code: number | null;
  last_error: string | null;
  last_at_real: string | null;
}

/** One delivery: the request (its body is the callback's) and the answer. */
export interface Delivery {
  attempt: number;
  /** Whether it was sent manually. */
  resend: boolean;
  url: string | null;
  request_headers: Record<string, string> | null;
  at_real: string;
  duration_ms: number;
  status_code: number | null;
  answer_headers: Record<string, string> | null;
  /** The first 64 KiB of the answer. */
  answer: string | null;
  error: string | null;
}

export interface Callback extends ListedCallback {
  /** The exact bytes of every delivery. */
  body: string;
  /** Oldest first. */
  deliveries: Delivery[];
}

/** Items of one sort; `count` includes those that are not listed. */
export interface Group<T> {
  count: number;
  items: T[];
}

/** A payout that waits for a decision or for funds. */
export interface WaitingPayout extends Money {
  id: string;
  kind: string;
  status: string;
  created_at: string;
}

/** A condition that needs an operator, until it is dismissed. */
export interface Alarm {
  id: string;
  chain: string | null;
  resource: string | null;
  resource_id: string | null;
  reason: string;
  raised_at: string;
  /** Name of the chain, or of the chain of its resource. */
  network: string | null;
  /** The money of its resource, with the order or the reference of the shop. */
  about: { amount: string | null; currency: string; reference: string | null } | null;
  /** Coins that end it when they are sent to an address of the service. */
  funding: { amount: string | null; currency: string; address: string } | null;
}

/** A callback address that failed more than once. */
export interface FailingReceiver {
  /** Without parts that may be secret: user, password and query. */
  address: string;
  waiting: number;
  /** Whether there are more than were counted. */
  more: boolean;
  /** Creation time of the oldest. */
  since: string;
  /** Status code of its newest answer; null without one. */
  status_code: number | null;
  error: string | null;
  last_at: string;
}

/** Items that need operator action: none of them continues by itself. */
export interface Attention {
  drafts: Group<
    WaitingPayout & {
      /** The first recipient's address. */
      recipient: string;
      recipients: number;
      /** The recipients' total; null when they are paid in several currencies. */
      requested: Money | null;
      /** Null without a rate. */
      worth_usd: string | null;
      /** Null for a deleted key. */
      key_name: string | null;
      /** Whether the wallet has enough available; a draft holds no funds. */
      is_covered: boolean;
    }
  >;
  /** Refunds that wait for an approval. */
  refunds: Group<
    Money & { id: string; cause: string; address: string; is_proven: boolean; created_at: string }
  >;
  waiting: Group<WaitingPayout>;
  callbacks: Group<{ id: string; event: string; url: string; created_at: string }>;
  receivers: Group<FailingReceiver>;
  quarantined: Group<
    Money & { id: string; kind: string; risk_level: string | null; created_at: string }
  >;
  alarms: Group<Alarm>;
  unassigned: Group<Unassigned>;
}

/** Sales from the beginning of the day in UTC up to now. */
export interface Sales {
  from: string;
  to: string;
  /** Sums by the currency that orders ask for, the one with most orders first. */
  currencies: {
    currency: string;
    /** Orders that were paid; each counts once. */
    orders: number;
    /** Sum of the amounts that these orders asked for. */
    amount: string;
    /** The part that the shop gave back since; `amount` contains it. */
    refunded: string;
  }[];
}

/** Received money that belongs to no invoice. */
export interface Unassigned extends Money {
  id: string;
  chain: string;
  txid: string | null;
  address: string;
  reason: string;
  seen_at: string;
}

/** The wallets' balances and their changes in a span of time up to now. */
export interface Balances {
  days: number;
  from: string;
  to: string;
  /** The currency that the account's newest invoices ask for most. */
  currency: string;
  /** Worth of all wallets in it; null without rates. */
  worth: string | null;
  wallets: WalletBalance[];
  /** Nodes whose channels limit what can be received and sent now. */
  channels: NodeChannels[];
}

export interface NodeChannels {
  chain: string;
  name: string;
  currency: string;
  /** Null: the node does not answer. */
  open: { channels: number; receivable: string; sendable: string } | null;
}

export interface WalletBalance {
  wallet_id: string;
  name: string;
  chain: string;
  currency: string;
  kind: string;
  available: string;
  pending: string;
  reserved: string;
  frozen: string;
  total: string;
  /** In the currency of the account; null without a rate. */
  worth: string | null;
  /** The balance after each change, oldest first; close changes are one. */
  points: { at: string; amount: string }[];
}

/** An address of the service to which an operator sends coins for payouts and network fees. */
export interface Funding {
  chain: string;
  network: string;
  currency: string;
  address: string;
  /** True where sweeps and payouts of the chain's tokens pay their network fees from it. */
  pays_fees: boolean;
  /** Available in the account's wallet. */
  available: string;
  /** Missing for sweeps that are due and payouts that wait; null when the node does not answer. */
  missing: string | null;
}

/** Automatic rules. */
export interface Rules {
  payouts: (Rule & { recipient_address: string })[];
  conversions: ExchangeRule[];
  fundings: ExchangeRule[];
  /** The coins that a new rule can be about. */
  coins: RuleCoin[];
  /** Minutes between two runs of an automatic payout that can be chosen. */
  intervals: number[];
}

export interface RuleCoin {
  wallet_id: string;
  wallet_name: string;
  kind: string;
  currency: string;
  network: string;
}

export interface Rule {
  id: string;
  wallet_name: string;
  kind: string;
  keep_amount: string;
  min_amount: string;
  every_minutes: number;
  is_enabled: boolean;
  last_at: string | null;
  next_at: string | null;
  /** Result of the last run; null when it had nothing to do, or failed. */
  last: (Money & { status: string; payout_id: string | null }) | null;
  error: string | null;
}

export interface ExchangeRule extends Rule {
  to_wallet_name: string;
  to_kind: string;
  max_amount: string;
}

export interface Profile {
  id: string;
  name: string;
  callback_url: string | null;
  currencies: { kind: string }[];
}
