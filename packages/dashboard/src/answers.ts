/** What the gateway answers (§2 of the interface, and its `dashboard/api.ts`): of each only what is shown. */
export interface Money {
  amount: string;
  currency: string;
}

export interface Session {
  account: { id: string; name: string; network: 'testnet' | 'mainnet' };
  email: string | null;
  ends_at: string;
  /** Whether a test transaction can be sent. */
  can_test: boolean;
}

export interface Page<T> {
  pagination: { num_pages: number; count: number; page: number; next_page: number | null; previous_page: number | null };
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
  notes: string | null;
  passthrough: string | null;
}

export interface Invoice extends ListedInvoice {
  transactions: Transaction[];
}

export interface Transaction {
  id: string;
  kind: string;
  txid: string;
  invoice: { id: string; profile_id: string; address: string | null; notes: string | null; passthrough: string | null };
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
  /** When it is sent; with one of them only. */
  scheduled_at?: string | null;
  /** Whether it can be rejected now; with one of them only. */
  is_waiting?: boolean;
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

export interface ListedCallback {
  id: string;
  resource: 'invoice' | 'transaction' | 'payout';
  resource_id: string;
  event: string;
  url: string;
  state: 'pending' | 'delivered' | 'failed';
  attempts: number;
  resends: number;
  created_at_real: string;
  next_at_real: string;
  last_status_code: number | null;
  last_error: string | null;
  last_at_real: string | null;
}

export interface Delivery {
  attempt: number;
  resend: boolean;
  url: string | null;
  request_headers: Record<string, string> | null;
  at_real: string;
  duration_ms: number;
  status_code: number | null;
  answer_headers: Record<string, string> | null;
  answer: string | null;
  error: string | null;
}

export interface Callback extends ListedCallback {
  body: string;
  deliveries: Delivery[];
}

export interface Group<T> {
  count: number;
  items: T[];
}

interface Waiting extends Money {
  id: string;
  kind: string;
  status: string;
  created_at: string;
}

export interface Alarm {
  id: string;
  chain: string | null;
  resource: string | null;
  resource_id: string | null;
  reason: string;
  raised_at: string;
}

export interface Attention {
  drafts: Group<
    Waiting & {
      recipient: string;
      recipients: number;
      requested: Money | null;
      worth_usd: string | null;
      key_name: string | null;
      is_covered: boolean;
    }
  >;
  waiting: Group<Waiting>;
  callbacks: Group<{ id: string; event: string; url: string; created_at: string }>;
  receivers: Group<{
    address: string;
    waiting: number;
    more: boolean;
    since: string;
    status_code: number | null;
    error: string | null;
    last_at: string;
  }>;
  quarantined: Group<Money & { id: string; kind: string; risk_level: string | null; created_at: string }>;
  alarms: Group<Alarm>;
  unassigned: Group<Unassigned>;
}

export interface Unassigned extends Money {
  id: string;
  chain: string;
  txid: string | null;
  address: string;
  reason: string;
  seen_at: string;
}

export interface Balances {
  days: number;
  times: string[];
  wallets: WalletBalance[];
}

export interface WalletBalance {
  wallet_id: string;
  name: string;
  currency: string;
  kind: string;
  available: string;
  pending: string;
  reserved: string;
  frozen: string;
  total: string;
  amounts: string[];
}

/** What works by itself. */
export interface Rules {
  payouts: (Rule & { recipient_address: string })[];
  conversions: ExchangeRule[];
  fundings: ExchangeRule[];
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
  /** What the last run made; null when it had nothing to do, or went wrong. */
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
