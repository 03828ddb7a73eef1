import { expect, it } from 'vitest';
import { choose, setUp } from '../../../test/support/bench.ts';
import { invoicePaymentStrings } from './payment-strings.ts';
import { CheckoutInvoice } from '../repository/record.ts';

it('the link has the chain id and the contract that the invoice names', async () => {
  const bench = setUp();
  const { payment } = await choose(bench, 'ETH');
  expect(payment.strings.link).toContain('@11155111?');
  const [invoice] = bench.service.invoices;
  const linkOf = (kind: string, evm: object): string | undefined =>
    invoicePaymentStrings(
      CheckoutInvoice.parse({
        ...invoice,
        kind,
        attempt: null,
        quoted_for: 'wallet',
        quotes: [],
        changed_at: invoice!.created_at,
        evm,
      }),
      '2',
    )?.link;
  expect(linkOf('ETH', { chain_id: 560_048, contract: null })).toBe(
    `ethereum:${invoice!.address}@560048?value=2000000000000000000`,
  );
  const contract = '0x5FbDB2315678afecb367f032d93F642f64180aa3';
  expect(linkOf('ETH_USDC', { chain_id: 31_337, contract })).toBe(
    `ethereum:${contract}@31337/transfer?address=${invoice!.address}&uint256=2000000`,
  );
});
