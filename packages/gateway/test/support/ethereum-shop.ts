import { sql } from 'kysely';
import type { Address } from 'viem';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { deploy, startAnvil, type Anvil } from '../../../chains/test/support/anvil.ts';
import { listUnassigned, type Unassigned } from '../../src/unassigned/store.ts';
import { contracts, ethereumAt } from './ethereum.ts';
import { sweepShop, type SweepShop } from './sweeps.ts';

/** A shop with Ethereum on anvil. */
export interface EthereumShop {
  shop: SweepShop;
  anvil: Anvil;
  /** The test token, as ETH_USDT. */
  token: Address;
  /** Mines blocks, and does all work that is due. Default: 12. */
  mine(blocks?: number): Promise<void>;
  /** Reasons of the open alarms. */
  alarms(): Promise<string[]>;
  /** Unassigned money that waits. */
  listed(): Promise<Unassigned[]>;
  close(): Promise<void>;
}

export async function ethereumShop(): Promise<EthereumShop> {
  const anvil = await startAnvil();
  const token = await deploy(anvil, contracts['Token']!);
  const shop = await sweepShop({ chains: ['ethereum'] });
  const { context } = shop;
  const { adapter, sender } = await ethereumAt(anvil.url, token);
  (context.chains as Map<string, ChainAdapter>).set('ethereum', adapter);
  (context.senders as Map<string, ChainSender>).set('ethereum', sender);
  await shop.settle();
  return {
    shop,
    anvil,
    token,
    async mine(blocks = 12) {
      await anvil.wallet.mine({ blocks });
      await shop.settle();
    },
    async alarms() {
      const { rows } = await sql<{ reason: string }>`select reason from alarm`.execute(context.db);
      return rows.map(({ reason }) => reason);
    },
    listed: () => listUnassigned(context.db, { settled: false, limit: 100 }),
    async close() {
      await shop.close();
      await anvil.stop();
    },
  };
}
