import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as client from './index.ts';

const folder = new URL('.', import.meta.url);

test('exports exactly these names', () => {
  expect(Object.keys(client).toSorted()).toMatchInlineSnapshot(`
    [
      "ReceiptError",
      "ServiceError",
      "WebhookError",
      "createClient",
      "shopEvent",
      "verifyCallback",
      "verifyReceipt",
      "verifyWebhook",
    ]
  `);
});

test('exports exactly these names, types included', () => {
  const names = [
    ...readFileSync(new URL('index.ts', folder), 'utf8').matchAll(/export (?:type )?\{([^}]+)\}/g),
  ]
    .flatMap(([, list]) => list!.split(','))
    .map((name) =>
      name
        .replace(/^\s*(?:type )?/, '')
        .replace(/^.* as /, '')
        .trim(),
    )
    .filter((name) => name !== '');
  expect(names.toSorted().join(' ')).toMatchInlineSnapshot(
    `"AccountSettings ApiKey ApiKeyRecord AutomaticConversion AutomaticFunding AutomaticPayout Balance CallOptions CallbackBody CallbackResent Client ClientOptions Confirmations Conversion CreateApiKey CreateAutomaticConversion CreateAutomaticFunding CreateAutomaticPayout CreateConversion CreateInvoice CreatePayout CreateProfile CreateRefund CreateSubAccount ExchangeRate Invoice InvoiceFilters InvoiceTransaction Lightning NetworkFee Page Pagination Payout PayoutEstimate PayoutFilters PayoutRecipient PayoutResent Profile ProfileCurrency Receipt ReceiptError ReceivedWebhook Refund RefundEstimate RefundFilters Refundable RotateApiKey ServiceError ServiceErrorDetails ShopEvent ShopEventName SubAccount Transaction TransactionFilters TransactionRisk UpdateApiKey UpdateAutomaticConversion UpdateAutomaticFunding UpdateAutomaticPayout UpdateConversion UpdateProfile UpdateSubAccount VerifiedCallback VerifyReceiptOptions Wallet WebhookError WholeConversion createClient shopEvent verifyCallback verifyReceipt verifyWebhook"`,
  );
});

test('imports nothing that only Node has', () => {
  for (const name of readdirSync(folder).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  )) {
    const imports = [
      ...readFileSync(new URL(name, folder), 'utf8').matchAll(/from '([^']+)'/g),
    ].map(([, from]) => from!);
    expect(
      imports.filter(
        (from) => !from.startsWith('./') && !from.startsWith('@crypto-checkout/protocol/'),
      ),
    ).toEqual([]);
  }
});
