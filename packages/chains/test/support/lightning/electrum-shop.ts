import { startLitecoind, type Litecoind } from '../litecoind.ts';
import { startElectrum, type Electrum } from './electrum.ts';
import { startLdkNode, type LdkNode } from './ldk-node.ts';
import { mineTo, sendTo, until } from './lightning-network.ts';
import { LndBook } from './lnd-book.ts';
import { startLndServer, type LndServer } from './lnd-server.ts';

/** A shop's nodes, and Electrum with coins and a channel to the lightning node. */
export interface ElectrumShop {
  chain: Litecoind;
  electrum: Electrum;
  server: LndServer;
  mine(blocks: number): Promise<void>;
  stop(): Promise<void>;
}

const COIN = 100_000_000n;

/** Starts the nodes of a shop, and a wallet that is not ours. */
export async function startElectrumShop(): Promise<ElectrumShop> {
  const chain = await startLitecoind();
  await mineTo(chain, 110);
  const electrum = await startElectrum(chain);
  await sendTo(chain, await electrum.address(), COIN);
  await mineTo(chain, 1);
  const hasCoin = async (): Promise<boolean> =>
    Number((await electrum.call<{ confirmed?: string }>('getbalance')).confirmed) === 1;
  await until(hasCoin);
  const node = await startLdkNode({ chain, seed: 200 });
  const server = await startLndServer(new LndBook(node));
  const mine = async (blocks: number): Promise<void> => {
    await mineTo(chain, blocks);
    await node.sync();
  };
  await openChannel(electrum, node, mine);
  return {
    chain,
    electrum,
    server,
    mine,
    async stop() {
      await server.stop();
      node.stop();
      await electrum.stop();
      await chain.stop();
    },
  };
}

async function openChannel(
  electrum: Electrum,
  node: LdkNode,
  mine: (blocks: number) => Promise<void>,
): Promise<void> {
  await electrum.call('open_channel', {
    connection_string: `${node.id}@127.0.0.1:${node.port()}`,
    amount: '0.01',
    push_amount: '0.002',
  });
  await until(async () => {
    await mine(1);
    const [channel] = await electrum.call<{ state: string }[]>('list_channels');
    return channel?.state === 'OPEN' && node.manager.list_usable_channels().length === 1;
  });
}
