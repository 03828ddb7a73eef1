/** A file below `packages/gateway` and the title of a test. */
export type Test = readonly [file: string, title: string];

const rule = 'test/support/rule-routes.ts';
const crud = 'creates, reads, changes and deletes one';
const automaticPayout: Test = [
  'src/automation/payout/bad-input.test.ts',
  'creates, reads, lists, changes and deletes, with exactly the documented fields',
];
const conversion: Test = [
  'src/conversion/routes.test.ts',
  'creates, reads, changes and deletes a draft',
];
const settled: Test = [
  'src/settlement/payments.test.ts',
  'takes the invoice from new via pending and paid to complete, with each event once',
];
const paidOut: Test = [
  'src/payout/payout.test.ts',
  'is held, sent, confirmed and complete, with one event each',
];
const refund: Test = [
  'src/refund/routes.test.ts',
  'answers 201 with the refund that a GET returns, and moves no money',
];
const offer: Test = [
  'src/refund/routes.test.ts',
  'of an order that was paid is what the shop offers',
];
const profile: Test = [
  'src/profile/routes.test.ts',
  'returns 201 with every field of a profile; a GET names the reserve wallet differently',
];
const event: Test = [
  'src/callback/events.test.ts',
  '%s equals the GET at that moment, under both names, and is sent once',
];
const subAccount: Test = [
  'src/account/routes.test.ts',
  'returns 201 with every field of a sub account',
];
const key: Test = [
  'src/account/keys/key-routes.test.ts',
  'returns 201 with every field of an API key and a working secret',
];

/**
 * The best example for each endpoint. In addition, `interface-client.test.ts` calls all of them.
 */
export const ENDPOINT_TESTS: Readonly<Record<string, Test>> = {
  'GET /v1/invoices/': [
    'src/invoice/routes.test.ts',
    'lists 25 on a page, newest first, without transactions',
  ],
  'GET /v1/invoices/:id/': [
    'src/invoice/routes.test.ts',
    'returns the invoice with its transactions',
  ],
  'POST /v1/invoices/': ['src/invoice/routes.test.ts', 'answers 201 with the invoice'],
  'GET /v1/invoices/:id/receipt/': [
    'src/invoice/receipt.test.ts',
    'answers a receipt of the invoice and its payments, and 409 before it is paid',
  ],
  'POST /v1/invoices/:id/renew/': [
    'src/invoice/routes.test.ts',
    'returns the invoice with its new price, or 409',
  ],
  'POST /v1/invoices/:id/cancel-request/': [
    'src/invoice/cancel-request.test.ts',
    'ends a lightning invoice now, and a repetition changes nothing',
  ],
  'POST /v1/invoices/:id/resend-callback/': [
    'src/callback/resend.test.ts',
    'is resent with the same id and body, to the profile’s present URL',
  ],
  'GET /v1/transactions/': ['src/transaction/routes.test.ts', 'lists 25 on a page, newest first'],
  'GET /v1/transactions/:id/': [
    'src/transaction/routes.test.ts',
    'returns every transaction field',
  ],
  'GET /v1/transactions/:id/risk/': [
    'src/transaction/bad-input.test.ts',
    'returns exactly id, kind and risk data',
  ],
  'POST /v1/transactions/confirmations/': [
    'src/transaction/routes.test.ts',
    'returns confirmations in the order of the request',
  ],
  'POST /v1/transactions/:id/resend-callback/': [
    'src/callback/resend.test.ts',
    'is resent with the same id and body, to the profile’s present URL',
  ],
  'POST /v1/transactions/:id/quarantine/': [
    'src/transaction/bad-input.test.ts',
    'holds and releases, records the caller and ignores answer-only fields',
  ],
  'POST /v1/transactions/:id/release/': [
    'src/transaction/bad-input.test.ts',
    'holds and releases, records the caller and ignores answer-only fields',
  ],
  'GET /v1/payouts/': ['src/payout/routes.test.ts', 'are pages of 25, newest first, and filtered'],
  'GET /v1/payouts/:id/': [
    'src/payout/routes.test.ts',
    'answers 201 with the payout that a GET returns',
  ],
  'POST /v1/payouts/': [
    'src/payout/routes.test.ts',
    'answers 201 with the payout that a GET returns',
  ],
  'PUT /v1/payouts/:id/': [
    'src/payout/routes.test.ts',
    'makes one move if approved and rejected concurrently',
  ],
  'POST /v1/payouts/:id/bump/': [
    'src/payout/routes.test.ts',
    'answer the payout, need its transaction to wait for a block, and a key without a limit',
  ],
  'POST /v1/payouts/:id/cancel/': [
    'src/payout/routes.test.ts',
    'answer the payout, need its transaction to wait for a block, and a key without a limit',
  ],
  'POST /v1/payouts/confirmations/': [
    'src/payout/routes.test.ts',
    'are returned for each id, in order',
  ],
  'POST /v1/payouts/:id/resend-callback/': [
    'src/payout/routes.test.ts',
    'is the last one, with its id and bytes, sent to the current callback URL',
  ],
  'GET /v1/refunds/': refund,
  'GET /v1/refunds/:id/': refund,
  'POST /v1/refunds/': refund,
  'PUT /v1/refunds/:id/': ['src/refund/routes.test.ts', 'sends the refund, approved once'],
  'GET /v1/invoices/:id/refundable/': offer,
  'POST /v1/transactions/:id/offer-refund/': offer,
  'POST /v1/transactions/:id/accept-late/': [
    'src/refund/routes.test.ts',
    'of late money that is accepted and refunded at once: one of both',
  ],
  'GET /v1/conversions/': conversion,
  'GET /v1/conversions/:id/': [
    'src/conversion/routes.test.ts',
    'returns a complete conversion, and the error of a failed one',
  ],
  'POST /v1/conversions/': conversion,
  'PUT /v1/conversions/:id/': conversion,
  'DELETE /v1/conversions/:id/': conversion,
  'GET /v1/profiles/': profile,
  'GET /v1/profiles/:id/': profile,
  'POST /v1/profiles/': profile,
  'PUT /v1/profiles/:id/': [
    'src/profile/routes.test.ts',
    'keeps omitted members, and clears with null',
  ],
  'DELETE /v1/profiles/:id/': [
    'src/profile/routes.test.ts',
    'returns 200 with the deleted profile, then 404',
  ],
  'GET /v1/wallets/': [
    'src/wallet/routes.test.ts',
    'lists the wallets of an account by age and chain order, each as a get returns it',
  ],
  'GET /v1/wallets/:id/': [
    'src/wallet/routes.test.ts',
    'has exactly the documented fields for each chain family',
  ],
  'PUT /v1/wallets/:id/': [
    'src/wallet/routes.test.ts',
    'defaults to bech32; only kind BTC follows a change',
  ],
  'GET /v1/automatic-payouts/': automaticPayout,
  'GET /v1/automatic-payouts/:id/': automaticPayout,
  'POST /v1/automatic-payouts/': automaticPayout,
  'PUT /v1/automatic-payouts/:id/': automaticPayout,
  'DELETE /v1/automatic-payouts/:id/': automaticPayout,
  'GET /v1/automatic-conversions/': [rule, crud],
  'GET /v1/automatic-conversions/:id/': [rule, crud],
  'POST /v1/automatic-conversions/': [rule, crud],
  'PUT /v1/automatic-conversions/:id/': [rule, crud],
  'DELETE /v1/automatic-conversions/:id/': [rule, crud],
  'GET /v1/automatic-funding/': [rule, crud],
  'GET /v1/automatic-funding/:id/': [rule, crud],
  'POST /v1/automatic-funding/': [rule, crud],
  'PUT /v1/automatic-funding/:id/': [rule, crud],
  'DELETE /v1/automatic-funding/:id/': [rule, crud],
  'GET /v1/exchange-rates/': [
    'src/rate/routes.test.ts',
    'lists every fiat currency and every coin',
  ],
  'GET /v1/exchange-rates/:symbol/': [
    'src/rate/routes.test.ts',
    'returns one rate in US dollars and bitcoin',
  ],
  'GET /v1/network-fees/': [
    'src/network-fee/routes.test.ts',
    'lists a fee in US dollars and a time for every kind that can be received',
  ],
  'GET /v1/account/settings/': ['src/account/routes.test.ts', 'returns the account of the key'],
  'GET /v1/accounts/': subAccount,
  'GET /v1/accounts/:id/': subAccount,
  'POST /v1/accounts/': subAccount,
  'PUT /v1/accounts/:id/': ['src/account/routes.test.ts', 'keeps omitted members and the slug'],
  'GET /v1/api-keys/': [
    'src/account/keys/key-routes.test.ts',
    'contains the account’s keys, and for integrator keys those of its sub accounts',
  ],
  'GET /v1/api-keys/:id/': key,
  'POST /v1/api-keys/': key,
  'PUT /v1/api-keys/:id/': [
    'src/account/keys/key-routes.test.ts',
    'changes permissions from the next request on; omitted members stay, null clears',
  ],
  'DELETE /v1/api-keys/:id/': [
    'src/account/keys/key-routes.test.ts',
    'returns 200 with the deleted key; it stops at once, also during its grace period',
  ],
  'POST /v1/api-keys/:id/rotate/': [
    'src/account/keys/key-routes.test.ts',
    'returns a new secret; the old one stops at once',
  ],
};

/** One test for all events: it drives a resource to each of them. */
export const EVENT_TEST = event;

export const STATE_TESTS: Readonly<Record<string, Test>> = {
  'invoice new': [
    'src/settlement/payments.test.ts',
    'takes the invoice from new via pending and paid to complete, with each event once',
  ],
  'invoice pending': settled,
  'invoice paid': settled,
  'invoice complete': settled,
  'invoice expired': [
    'src/settlement/payments.test.ts',
    'without a payment expires the invoice without a callback',
  ],
  'transaction pending': settled,
  'transaction confirmed': settled,
  'transaction complete': settled,
  'transaction unconfirmed': [
    'src/settlement/payments.test.ts',
    'does not affect a matching sum seen in time',
  ],
  'transaction failed': [
    'src/settlement/lost-payments.test.ts',
    'failed: reported and not credited',
  ],
  'transaction quarantined': [
    'src/risk/risk.test.ts',
    'is quarantined at once, frozen and not counted',
  ],
  'transaction replaced': [
    'src/settlement/lost-payments.test.ts',
    'replaced: the invoice is new again, with a callback',
  ],
  'zero_conf_status null': [
    'src/risk/zero-conf.test.ts',
    'is not checked if the invoice disables it, or in a block',
  ],
  'zero_conf_status confirmed': [
    'src/risk/zero-conf.test.ts',
    'pays the invoice if safe, is reported once and is not available before a block',
  ],
  'zero_conf_status unconfirmed': [
    'src/risk/zero-conf.test.ts',
    'that %s is unconfirmed and waits for its block',
  ],
  'zero_conf_status unknown': [
    'src/risk/zero-conf.test.ts',
    'is unknown and waits for its block when the check %s',
  ],
  'payout draft': [
    'src/payout/routes.test.ts',
    'holds nothing and is not sent until it is approved',
  ],
  'payout scheduled': ['src/payout/lifecycle.test.ts', 'for its date'],
  'payout queued': ['src/payout/lifecycle.test.ts', 'for its turn on TON'],
  'payout new': paidOut,
  'payout pending': paidOut,
  'payout confirmed': paidOut,
  'payout complete': paidOut,
  'payout rejected': ['src/payout/routes.test.ts', 'that is rejected reports an event and ends'],
  'payout unconfirmed': [
    'src/payout/lifecycle.test.ts',
    'is unconfirmed after 24 hours without a block, and can still be confirmed',
  ],
  'payout awaiting_funds': [
    'src/payout/lifecycle.test.ts',
    'for the reserve wallet, which buys the missing funds',
  ],
  'payout awaiting_policies': [
    'src/payout/lifecycle.test.ts',
    'for a policy if the address was never paid, unless it is approved',
  ],
  'payout failed': [
    'src/payout/lifecycle.test.ts',
    'that can never be in a block fails and releases its funds',
  ],
  'refund requested': refund,
  'refund draft': ['src/refund/draft.test.ts', 'is a draft above the limit, until it is approved'],
  'refund approved': ['src/refund/routes.test.ts', 'sends the refund, approved once'],
  'refund paid': ['src/refund/routes.test.ts', 'sends the refund, approved once'],
  'refund rejected': ['src/refund/routes.test.ts', 'again after a rejection'],
  'refund failed': ['src/refund/draft.test.ts', 'is failed with its payout, and counts no longer'],
  'conversion draft': [
    'src/conversion/lifecycle.test.ts',
    'stays a draft until approved, then runs at the current rate',
  ],
  'conversion is_approved': [
    'src/conversion/lifecycle.test.ts',
    'waits for funds once approved, and stops when the approval is withdrawn',
  ],
  'automatic payout is_enabled': [
    'src/automation/payout/run.test.ts',
    'does nothing while disabled, and runs one interval after it is enabled',
  ],
  'automatic conversion is_enabled': [
    'src/automation/conversion/run.test.ts',
    'does nothing while disabled and runs once enabled',
  ],
  'automatic funding is_enabled': [
    'src/automation/funding/run.test.ts',
    'does nothing while disabled',
  ],
};
