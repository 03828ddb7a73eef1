export type { CallOptions } from './requester.ts';
export { type Client, type ClientOptions, createClient } from './client.ts';
export { ServiceError, type ServiceErrorDetails } from './error.ts';
export type { InvoiceFilters, PayoutFilters, TransactionFilters } from './payments.ts';
export { ReceiptError, verifyReceipt, type VerifyReceiptOptions } from './receipt.ts';
export type { RefundFilters } from './refunds.ts';
export type { ApiKeyRecord } from './resources.ts';
export type { ApiKey } from './transport.ts';
export { type ReceivedWebhook, verifyCallback, verifyWebhook } from './webhook.ts';
export type { ShopEvent, ShopEventName } from '@crypto-checkout/protocol/shop-event';
export { shopEvent } from '@crypto-checkout/protocol/schema/shop-event';
export {
  WebhookError,
  type CallbackBody,
  type VerifiedCallback,
} from '@crypto-checkout/protocol/callback';
export type {
  AccountSettings,
  CreateSubAccount,
  SubAccount,
  UpdateSubAccount,
} from '@crypto-checkout/protocol/schema/account';
export type {
  CreateApiKey,
  RotateApiKey,
  UpdateApiKey,
} from '@crypto-checkout/protocol/schema/api-key';
export type {
  AutomaticConversion,
  CreateAutomaticConversion,
  UpdateAutomaticConversion,
} from '@crypto-checkout/protocol/schema/automatic-conversion';
export type {
  AutomaticFunding,
  CreateAutomaticFunding,
  UpdateAutomaticFunding,
} from '@crypto-checkout/protocol/schema/automatic-funding';
export type {
  AutomaticPayout,
  CreateAutomaticPayout,
  UpdateAutomaticPayout,
} from '@crypto-checkout/protocol/schema/automatic-payout';
export type { CallbackResent } from '@crypto-checkout/protocol/schema/callback';
export type { Confirmations } from '@crypto-checkout/protocol/schema/fields/confirmations';
export type {
  Conversion,
  CreateConversion,
  UpdateConversion,
  WholeConversion,
} from '@crypto-checkout/protocol/schema/conversion';
export type { ExchangeRate } from '@crypto-checkout/protocol/schema/exchange-rate';
export type { NetworkFee } from '@crypto-checkout/protocol/schema/network-fee';
export type {
  CreateInvoice,
  Invoice,
  InvoiceTransaction,
  Lightning,
} from '@crypto-checkout/protocol/schema/invoice';
export type { Page, Pagination } from '@crypto-checkout/protocol/schema/fields/pagination';
export type {
  CreatePayout,
  Payout,
  PayoutEstimate,
  PayoutRecipient,
  PayoutResent,
} from '@crypto-checkout/protocol/schema/payout';
export type {
  CreateProfile,
  Profile,
  ProfileCurrency,
  UpdateProfile,
} from '@crypto-checkout/protocol/schema/profile';
export type { Receipt } from '@crypto-checkout/protocol/schema/receipt';
export type {
  CreateRefund,
  Refund,
  Refundable,
  RefundEstimate,
} from '@crypto-checkout/protocol/schema/refund';
export type { Transaction, TransactionRisk } from '@crypto-checkout/protocol/schema/transaction';
export type { Balance, Wallet } from '@crypto-checkout/protocol/schema/wallet';
