import type { Generated } from 'kysely';
import type { Json, MaybeTimestamp, Timestamp } from './column.ts';
import type { AccountTable, ApiKeyTable, ProofKeyTable } from './tables/account.ts';
import type { CallbackDeliveryTable, CallbackTable } from './tables/callback.ts';
import type { AutomaticRuleTable, ConversionTable } from './tables/conversion.ts';
import type { DashboardLinkTable, DashboardSessionTable } from './tables/dashboard.ts';
import type { DepositTargetTable, InvoiceTable, QuoteTable } from './tables/invoice.ts';
import type { NoticeTable } from './tables/notice.ts';
import type {
  AutomaticPayoutTable,
  OutgoingAttemptTable,
  OutgoingTable,
  PayoutRecipientTable,
  PayoutTable,
} from './tables/payout.ts';
import type { RefundTable } from './tables/refund.ts';
import type { ProfileCurrencyTable, ProfileTable } from './tables/profile.ts';
import type {
  AlarmTable,
  ExplainedPaymentTable,
  FoundMoneyTable,
  TransactionTable,
  UnassignedTable,
  UnlistedTransferTable,
  UntracedBlockTable,
} from './tables/transaction.ts';
import type { BalanceTable, OwedFeeTable, PostingTable, WalletTable } from './tables/wallet.ts';

/**
 * The schema as kysely types. A folder with tables of its own adds them with `db.withTables<…>()`.
 */
export interface Tables {
  account: AccountTable;
  api_key: ApiKeyTable;
  proof_key: ProofKeyTable;
  wallet: WalletTable;
  profile: ProfileTable;
  profile_currency: ProfileCurrencyTable;
  invoice: InvoiceTable;
  quote: QuoteTable;
  deposit_target: DepositTargetTable;
  derivation: { key_group: string; next_index: Generated<number> };
  transaction: TransactionTable;
  unassigned: UnassignedTable;
  alarm: AlarmTable;
  posting: PostingTable;
  balance: BalanceTable;
  owed_fee: OwedFeeTable;
  payout: PayoutTable;
  payout_recipient: PayoutRecipientTable;
  refund: RefundTable;
  outgoing: OutgoingTable;
  outgoing_attempt: OutgoingAttemptTable;
  conversion: ConversionTable;
  automatic_rule: AutomaticRuleTable;
  automatic_payout: AutomaticPayoutTable;
  callback: CallbackTable;
  callback_delivery: CallbackDeliveryTable;
  notice: NoticeTable;
  balance_check: {
    chain: string;
    after_key: string;
    pass_started_at_real: Timestamp;
    passed_at_real: MaybeTimestamp;
  };
  unlisted_transfer: UnlistedTransferTable;
  untraced_block: UntracedBlockTable;
  trace_pause: { chain: string; failures: number; until_real: Timestamp };
  found_money: FoundMoneyTable;
  explained_payment: ExplainedPaymentTable;
  chain_cursor: { chain: string; cursor: Json; tip: number; scanned_at_real: Timestamp };
  scan_failure: { chain: string; reason: string; failed_at_real: Timestamp };
  dashboard_link: DashboardLinkTable;
  dashboard_session: DashboardSessionTable;
  lease: { name: string; holder: string; fence: number; until: Timestamp };
  list_count: { account_id: string; resource: string; until: string; count: number };
  setting: { name: string; value: Json };
  migration: { name: string; applied_at_real: Timestamp };
}
