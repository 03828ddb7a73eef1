/** File below `packages/gateway` and title of a test. */
export type Test = readonly [file: string, title: string];

const rule = 'src/exchange/test-rule-routes.ts';
const crud = 'creates one, shows it, changes it and deletes it';
const automaticPayout: Test = [
  'src/automatic-payout/bad-input.test.ts',
  'creates, reads, lists, changes and deletes, with exactly the fields of §2.10',
];
const conversion: Test = ['src/conversion/routes.test.ts', 'creates a draft, shows it, changes it and deletes it'];
const settled: Test = [
  'src/transaction/payment.test.ts',
  'takes the invoice from new over pending and paid to complete, with every event once',
];
const paidOut: Test = ['src/payout/payout.test.ts', 'is held, sent, confirmed and complete, and tells each once'];
const profile: Test = [
  'src/profile/routes.test.ts',
  'answers 201 with every field of §2.8; only the reserve wallet is named differently by a get',
];
const event: Test = ['src/callback/events.test.ts', '%s shows what a GET shows at that moment, under both names, and is told once'];
const subAccount: Test = ['src/account/routes.test.ts', 'answers 201 with every field of §2.13'];
const key: Test = ['src/account/key-routes.test.ts', 'answers 201 with every field of §2.14 and a secret that works'];

/** The test that shows best what an endpoint does; `spec-client.test.ts` calls every one of §4 besides. */
export const ENDPOINT_TESTS: Readonly<Record<string, Test>> = {
  'GET /v1/invoices/': ['src/invoice/routes.test.ts', 'lists 25 on a page, newest first, without transactions'],
  'GET /v1/invoices/:id/': ['src/invoice/routes.test.ts', 'answers the invoice with its transactions'],
  'POST /v1/invoices/': ['src/invoice/routes.test.ts', 'answers 201 with the invoice'],
  'POST /v1/invoices/:id/renew/': ['src/invoice/routes.test.ts', 'answers the invoice with its new price, or 409'],
  'POST /v1/invoices/:id/resend-callback/': [
    'src/callback/resend.test.ts',
    'is sent again with its id and bytes, to where the profile says now',
  ],
  'GET /v1/transactions/': ['src/transaction/routes.test.ts', 'lists 25 on a page, newest first'],
  'GET /v1/transactions/:id/': ['src/transaction/routes.test.ts', 'shows every field of §2.5'],
  'GET /v1/transactions/:id/risk/': ['src/transaction/bad-input.test.ts', 'answers id, kind and data, and nothing else'],
  'POST /v1/transactions/confirmations/': ['src/transaction/routes.test.ts', 'answers depths in the order in which they were asked for'],
  'POST /v1/transactions/:id/resend-callback/': [
    'src/callback/resend.test.ts',
    'is sent again with its id and bytes, to where the profile says now',
  ],
  'POST /v1/transactions/:id/quarantine/': [
    'src/transaction/bad-input.test.ts',
    'holds and releases, names who did it, and ignores members of the answer',
  ],
  'POST /v1/transactions/:id/release/': [
    'src/transaction/bad-input.test.ts',
    'holds and releases, names who did it, and ignores members of the answer',
  ],
  'GET /v1/payouts/': ['src/payout/routes.test.ts', 'are pages of 25, newest first, and filtered'],
  'GET /v1/payouts/:id/': ['src/payout/routes.test.ts', 'answers 201 with the payout, as a GET does'],
  'POST /v1/payouts/': ['src/payout/routes.test.ts', 'answers 201 with the payout, as a GET does'],
  'PUT /v1/payouts/:id/': ['src/payout/routes.test.ts', 'approved and rejected at once makes one move'],
  'POST /v1/payouts/confirmations/': ['src/payout/routes.test.ts', 'are counted for each id, in order'],
  'POST /v1/payouts/:id/resend-callback/': [
    'src/payout/routes.test.ts',
    'is the last one, with its id and bytes, to where the profile says now',
  ],
  'GET /v1/conversions/': conversion,
  'GET /v1/conversions/:id/': ['src/conversion/routes.test.ts', 'shows one that was carried out, and says why one failed'],
  'POST /v1/conversions/': conversion,
  'PUT /v1/conversions/:id/': conversion,
  'DELETE /v1/conversions/:id/': conversion,
  'GET /v1/profiles/': profile,
  'GET /v1/profiles/:id/': profile,
  'POST /v1/profiles/': profile,
  'PUT /v1/profiles/:id/': ['src/profile/routes.test.ts', 'leaves what is left out, and clears with null'],
  'DELETE /v1/profiles/:id/': ['src/profile/routes.test.ts', 'answers 200 with what was deleted, and then 404 to everything'],
  'GET /v1/wallets/': [
    'src/wallet/routes.test.ts',
    'lists all of an account, oldest first and those of one moment in the order of the chains, each as a get answers it',
  ],
  'GET /v1/wallets/:id/': ['src/wallet/routes.test.ts', 'has for each family the members of §2.9 and no others'],
  'PUT /v1/wallets/:id/': ['src/wallet/routes.test.ts', 'is bech32, until it is set; BTC follows it, the other kinds keep theirs'],
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
  'GET /v1/exchange-rates/': ['src/rate/routes.test.ts', 'gives every currency, fiat and crypto, and every coin that can be paid with'],
  'GET /v1/exchange-rates/:symbol/': ['src/rate/routes.test.ts', 'gives one, worth in dollars and in bitcoin'],
  'GET /v1/account/settings/': ['src/account/routes.test.ts', 'answers with the account of the key'],
  'GET /v1/accounts/': subAccount,
  'GET /v1/accounts/:id/': subAccount,
  'POST /v1/accounts/': subAccount,
  'PUT /v1/accounts/:id/': ['src/account/routes.test.ts', 'leaves what is left out, and the slug'],
  'GET /v1/api-keys/': [
    'src/account/key-routes.test.ts',
    'has the account’s own, for integrator keys also those of its sub accounts, and no others',
  ],
  'GET /v1/api-keys/:id/': key,
  'POST /v1/api-keys/': key,
  'PUT /v1/api-keys/:id/': [
    'src/account/key-routes.test.ts',
    'changes what the key may do from the next request on; what is left out stays, null clears',
  ],
  'DELETE /v1/api-keys/:id/': [
    'src/account/key-routes.test.ts',
    'answers 200 with what was deleted; it stops at once, also in its time of grace',
  ],
  'POST /v1/api-keys/:id/rotate/': ['src/account/key-routes.test.ts', 'gives a new secret, and the old one stops at once'],
};

/** One test for all events: it drives a resource to each of them. */
export const EVENT_TEST = event;

export const STATE_TESTS: Readonly<Record<string, Test>> = {
  'invoice new': ['src/transaction/payment.test.ts', 'takes the invoice from new over pending and paid to complete, with every event once'],
  'invoice pending': settled,
  'invoice paid': settled,
  'invoice complete': settled,
  'invoice expired': ['src/transaction/payment.test.ts', 'over without a payment expires the invoice silently'],
  'transaction pending': settled,
  'transaction confirmed': settled,
  'transaction complete': settled,
  'transaction unconfirmed': ['src/transaction/payment.test.ts', 'does not touch a matching sum that was seen in time'],
  'transaction failed': ['src/transaction/lost.test.ts', 'because it failed is told and not credited'],
  'transaction quarantined': ['src/risk/risk.test.ts', 'is quarantined from the first moment, its money frozen, and counts for nothing'],
  'transaction replaced': ['src/transaction/lost.test.ts', 'by a replacement makes the invoice new again and is told'],
  'zero_conf_status null': ['src/risk/zero-conf.test.ts', 'is not checked where the invoice does not ask for it, or in a block'],
  'zero_conf_status confirmed': [
    'src/risk/zero-conf.test.ts',
    'that is safe makes the invoice paid, is told once, and is never available money before a block',
  ],
  'zero_conf_status unconfirmed': ['src/risk/zero-conf.test.ts', 'that %s is unconfirmed and waits for its block'],
  'zero_conf_status unknown': ['src/risk/zero-conf.test.ts', 'whose check %s is unknown and waits for its block'],
  'payout draft': ['src/payout/routes.test.ts', 'holds nothing and is not sent until it is approved'],
  'payout scheduled': ['src/payout/life.test.ts', 'for its time'],
  'payout queued': ['src/payout/life.test.ts', 'for its turn on TON'],
  'payout new': paidOut,
  'payout pending': paidOut,
  'payout confirmed': paidOut,
  'payout complete': paidOut,
  'payout rejected': ['src/payout/routes.test.ts', 'that is rejected is told, and ends'],
  'payout unconfirmed': ['src/payout/life.test.ts', 'is unconfirmed after 24 hours without a block, and confirmed later'],
  'payout awaiting_funds': ['src/payout/life.test.ts', 'for the reserve wallet, which sells what is lacking'],
  'payout awaiting_policies': ['src/payout/life.test.ts', 'for a policy when the address was never paid, unless it is approved'],
  'payout failed': ['src/payout/life.test.ts', 'that can never be in a block has failed, and the money is back'],
  'conversion draft': [
    'src/conversion/life.test.ts',
    'waits as a draft until it is approved, and is then carried out at the rate of the moment',
  ],
  'conversion is_approved': [
    'src/conversion/life.test.ts',
    'that is approved waits for enough, and is stopped by taking the approval back',
  ],
  'automatic payout is_enabled': [
    'src/automatic-payout/run.test.ts',
    'does nothing while it is off, and one interval after it was switched on',
  ],
  'automatic conversion is_enabled': [
    'src/automatic-conversion/run.test.ts',
    'does nothing while it is off, and acts when it is switched on',
  ],
  'automatic funding is_enabled': ['src/automatic-funding/run.test.ts', 'does nothing while it is off'],
};
