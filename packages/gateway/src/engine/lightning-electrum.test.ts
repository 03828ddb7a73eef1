import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  describeWithElectrum,
  startElectrum,
} from '../../../chains/test/support/lightning/electrum.ts';
import { startLdkNode } from '../../../chains/test/support/lightning/ldk-node.ts';
import { mineTo, sendTo, until } from '../../../chains/test/support/lightning/lightning-network.ts';
import { LndBook } from '../../../chains/test/support/lightning/lnd-book.ts';
import { RECEIVING, SENDING } from '../../../chains/test/support/lightning/lnd-chain.ts';
import { startLndServer } from '../../../chains/test/support/lightning/lnd-server.ts';
import { startLitecoind } from '../../../chains/test/support/litecoind.ts';
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
    const chain = await startLitecoind();
    await mineTo(chain, 110);
    const electrum = await startElectrum(chain);
    const folder = mkdtempSync(join(tmpdir(), 'lnd-'));
    await sendTo(chain, await electrum.address(), 100_000_000n);
    await mineTo(chain, 1);
    const hasCoin = async (): Promise<boolean> =>
      Number((await electrum.call<{ confirmed?: string }>('getbalance')).confirmed) === 1;
    await until(hasCoin);

    const node = await startLdkNode({ chain, seed: 200 });
    const server = await startLndServer(new LndBook(node));
    await electrum.call('open_channel', {
      connection_string: `${node.id}@127.0.0.1:${node.port()}`,
      amount: '0.01',
      push_amount: '0.002',
    });
    const isOpen = async (): Promise<boolean> => {
      await mineTo(chain, 1);
      await node.sync();
      const [channel] = await electrum.call<{ state: string }[]>('list_channels');
      return channel?.state === 'OPEN' && node.manager.list_usable_channels().length === 1;
    };
    await until(isOpen);

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
      await server.stop();
      node.stop();
      await electrum.stop();
      await chain.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }, 180_000);
});
