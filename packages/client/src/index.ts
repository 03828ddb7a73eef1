export {
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
  type InvoiceFilters,
  type PayoutFilters,
  type TransactionFilters,
} from './client.ts';
export { ServiceError, type ServiceErrorDetails } from './error.ts';
export type { ApiKey } from './transport.ts';
export { type ReceivedWebhook, type ShopEvent, verifyCallback, verifyWebhook } from './webhook.ts';
export { WebhookError, type CallbackBody, type VerifiedCallback } from '@crypto-checkout/protocol/callback';
export type { ExchangeRate } from '@crypto-checkout/protocol/schema/exchange-rate';
export type { CreateInvoice, Invoice, InvoiceTransaction, Lightning } from '@crypto-checkout/protocol/schema/invoice';
export type { Page, Pagination } from '@crypto-checkout/protocol/schema/pagination';
export type { CreatePayout, Payout, PayoutEstimate, PayoutRecipient, PayoutResent } from '@crypto-checkout/protocol/schema/payout';
export type { Profile, ProfileCurrency } from '@crypto-checkout/protocol/schema/profile';
export type { Transaction } from '@crypto-checkout/protocol/schema/transaction';
export type { Balance, Wallet } from '@crypto-checkout/protocol/schema/wallet';
