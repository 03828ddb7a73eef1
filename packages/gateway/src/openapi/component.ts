import {
  accountSettings,
  createSubAccount,
  subAccount,
  updateSubAccount,
} from '@crypto-checkout/protocol/schema/account';
import { amountObject } from '@crypto-checkout/protocol/schema/fields/amount';
import {
  apiKey,
  createApiKey,
  rotateApiKey,
  updateApiKey,
} from '@crypto-checkout/protocol/schema/api-key';
import { automaticConversion } from '@crypto-checkout/protocol/schema/automatic-conversion';
import {
  automaticFunding,
  createAutomaticFunding,
  updateAutomaticFunding,
} from '@crypto-checkout/protocol/schema/automatic-funding';
import {
  automaticPayout,
  createAutomaticPayout,
  updateAutomaticPayout,
} from '@crypto-checkout/protocol/schema/automatic-payout';
import { callbackResent } from '@crypto-checkout/protocol/schema/callback';
import {
  askConfirmations,
  confirmations,
} from '@crypto-checkout/protocol/schema/fields/confirmations';
import {
  conversion,
  createConversion,
  exchangeReference,
  updateConversion,
  walletReference,
  wholeConversion,
} from '@crypto-checkout/protocol/schema/conversion';
import { exchangeRate } from '@crypto-checkout/protocol/schema/exchange-rate';
import {
  createInvoice,
  embeddedInvoice,
  exchangeRateLimit,
  invoice,
  invoiceTransaction,
  lightning,
  listedInvoice,
  renewInvoice,
} from '@crypto-checkout/protocol/schema/invoice';
import { networkFee } from '@crypto-checkout/protocol/schema/network-fee';
import {
  currencyText,
  kindText,
  payoutCurrencyText,
  payoutKindText,
} from '@crypto-checkout/protocol/schema/fields/kind';
import { pagination } from '@crypto-checkout/protocol/schema/fields/pagination';
import {
  approvePayout,
  createPayout,
  createPayoutRecipient,
  payout,
  payoutEstimate,
  payoutRecipient,
  payoutResent,
} from '@crypto-checkout/protocol/schema/payout';
import {
  createProfile,
  profile,
  profileCurrency,
  profileCurrencyInput,
  updateProfile,
} from '@crypto-checkout/protocol/schema/profile';
import {
  approveRefund,
  createRefund,
  offerRefund,
  refund,
  refundable,
  refundEstimate,
} from '@crypto-checkout/protocol/schema/refund';
import {
  quotedAmount,
  transaction,
  transactionRisk,
} from '@crypto-checkout/protocol/schema/transaction';
import { balance, sentWallet, updateWallet } from '@crypto-checkout/protocol/schema/wallet';
import type { z } from 'zod';

/** Schemas of answers by their published names; a schema without a name is inlined. */
export const ANSWERS: Readonly<Record<string, z.ZodType>> = {
  Amount: amountObject,
  Pagination: pagination,
  Invoice: invoice,
  ListedInvoice: listedInvoice,
  EmbeddedInvoice: embeddedInvoice,
  InvoiceTransaction: invoiceTransaction,
  Lightning: lightning,
  Transaction: transaction,
  TransactionRisk: transactionRisk,
  QuotedAmount: quotedAmount,
  Confirmations: confirmations,
  Payout: payout,
  PayoutEstimate: payoutEstimate,
  PayoutRecipient: payoutRecipient,
  PayoutResent: payoutResent,
  Refund: refund,
  RefundEstimate: refundEstimate,
  Refundable: refundable,
  Profile: profile,
  ProfileCurrency: profileCurrency,
  Wallet: sentWallet,
  Balance: balance,
  ExchangeRate: exchangeRate,
  NetworkFee: networkFee,
  CallbackResent: callbackResent,
  AccountSettings: accountSettings,
  SubAccount: subAccount,
  ApiKey: apiKey,
  Conversion: conversion,
  WholeConversion: wholeConversion,
  AutomaticConversion: automaticConversion,
  AutomaticFunding: automaticFunding,
  AutomaticPayout: automaticPayout,
  WalletReference: walletReference,
  ExchangeReference: exchangeReference,
};

/** Lists of the values that members of payloads refer to. */
export const VALUE_LISTS: Readonly<Record<string, z.ZodType>> = {
  Kind: kindText,
  PayoutKind: payoutKindText,
  PayoutCurrency: payoutCurrencyText,
  Currency: currencyText,
};

/** Schemas of payloads. */
export const PAYLOADS: Readonly<Record<string, z.ZodType>> = {
  CreateInvoice: createInvoice,
  RenewInvoice: renewInvoice,
  ExchangeRateLimit: exchangeRateLimit,
  CreatePayout: createPayout,
  CreatePayoutRecipient: createPayoutRecipient,
  ApprovePayout: approvePayout,
  CreateRefund: createRefund,
  ApproveRefund: approveRefund,
  OfferRefund: offerRefund,
  AskConfirmations: askConfirmations,
  CreateProfile: createProfile,
  UpdateWallet: updateWallet,
  CreateAutomaticPayout: createAutomaticPayout,
  UpdateAutomaticPayout: updateAutomaticPayout,
  CreateConversion: createConversion,
  UpdateConversion: updateConversion,
  // Conversions and funding share one shape.
  CreateAutomaticRule: createAutomaticFunding,
  UpdateAutomaticRule: updateAutomaticFunding,
  UpdateProfile: updateProfile,
  EnableCurrency: profileCurrencyInput,
  CreateSubAccount: createSubAccount,
  UpdateSubAccount: updateSubAccount,
  CreateApiKey: createApiKey,
  UpdateApiKey: updateApiKey,
  RotateApiKey: rotateApiKey,
};
