import { sql } from 'kysely';
import { type Address, parseEther, parseGwei } from 'viem';
import type { ChainAdapter } from '@crypto-checkout/chains/adapter';
import type { ChainSender } from '@crypto-checkout/chains/sender';
import { deploy, startAnvil, type Anvil } from '../../../chains/test/support/anvil.ts';
import { startRpcProxy, type RpcProxy } from '../../../chains/test/support/rpc-proxy.ts';
import { contracts, ethereumAt, payoutAddress } from './ethereum.ts';
import { payoutShop, type PayoutShop } from './payouts.ts';

/** A shop that pays out on anvil. The payout address holds 500 ETH; the books hold nothing. */
export interface EvmPayouts {
  shop: PayoutShop;
  anvil: Anvil;
  /** Between the shop and anvil, for answers that a test changes. */
  proxy: RpcProxy;
  /** The test token, as ETH_USDT. */
  token: Address;
  /** Mines a block whose successor has this base fee, about. Our transaction is not in it. */
  baseFee(gwei: string): Promise<void>;
  /** Lets the newest attempt of each payout be older than a minute. */
  aMinuteLater(): Promise<void>;
  /** Reasons of the open alarms. */
  alarms(): Promise<string[]>;
  close(): Promise<void>;
}

export async function evmPayouts(): Promise<EvmPayouts> {
  const anvil = await startAnvil();
  const proxy = await startRpcProxy(anvil.url);
  const token = await deploy(anvil, contracts['Token']!);
  await anvil.wallet.setBalance({ address: payoutAddress, value: parseEther('500') });
  const shop = await payoutShop({ chains: ['ethereum'] });
  const { context } = shop;
  const { adapter, sender } = await ethereumAt(proxy.url, token);
  (context.chains as Map<string, ChainAdapter>).set('ethereum', adapter);
  (context.senders as Map<string, ChainSender>).set('ethereum', sender);
  return {
    shop,
    anvil,
    proxy,
    token,
    async baseFee(gwei) {
      await anvil.wallet.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei(gwei) });
      await anvil.wallet.mine({ blocks: 1 });
    },
    async aMinuteLater() {
      const at = new Date(context.clock.real() - 61_000);
      await sql`update outgoing_attempt set created_at_real = ${at}`.execute(context.db);
    },
    async alarms() {
      const { rows } = await sql<{ reason: string }>`select reason from alarm`.execute(context.db);
      return rows.map(({ reason }) => reason);
    },
    async close() {
      await shop.close();
      await proxy.stop();
      await anvil.stop();
    },
  };
}
