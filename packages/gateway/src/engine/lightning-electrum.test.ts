import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWithElectrum } from '../../../chains/test/support/lightning/electrum.ts';
import { startElectrumShop } from '../../../chains/test/support/lightning/electrum-shop.ts';
import { RECEIVING, SENDING } from '../../../chains/test/support/lightning/lnd-chain.ts';
import {
  createInvoice,
  createPayout,
  resultOf,
  statusOf,
  type ShownInvoice,
} from '../../test/support/lightning-shop.ts';
import { startService } from '../../test/support/running-gateway.ts';
import { requireBooks } from '../../test/support/shop.ts';

describeWithElectrum("Debian's Electrum", () => {
  it('opens a channel, pays an invoice, and is paid back', async () => {
    const shop = await startElectrumShop();
    const { electrum, server } = shop;
    const folder = mkdtempSync(join(tmpdir(), 'lnd-'));
    const certificate = join(folder, 'tls.cert');
    writeFileSync(certificate, server.certificate());
    const service = await startService({
      LND_URL: server.url,
      LND_CERT: certificate,
      LND_MACAROON: server.bakery.bake(RECEIVING),
      LND_SEND_MACAROON: server.bakery.bake(SENDING),
      SCAN_INTERVAL_MS: '200',
    });
    try {
      const { id, lightning } = resultOf<ShownInvoice>(
        (await createInvoice(service, { amount: '0.0003' })).body,
      );
      const paid = await electrum.call<{ success: boolean }>('lnpay', {
        invoice: lightning.payment_request,
      });
      expect(paid.success).toBe(true);
      await expect.poll(() => statusOf(service, 'invoices', id)).toBe('complete');

      const request = await electrum.call<{ lightning_invoice: string }>('add_request', {
        amount: '0.0001',
        memo: 'paid back',
      });
      const { body } = await createPayout(service, {
        address: request.lightning_invoice,
        amount: '0.0001',
      });
      const payout = resultOf<{ id: string }>(body);
      await expect.poll(() => statusOf(service, 'payouts', payout.id)).toBe('complete');
      const [listed] = await electrum.call<{ status_str: string }[]>('list_requests');
      expect(listed?.status_str).toBe('Paid');
      await requireBooks(service.context);
      expect(server.violations).toEqual([]);
    } finally {
      await service.close();
      await shop.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }, 180_000);
});
