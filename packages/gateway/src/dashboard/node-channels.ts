import { formatAmount } from '@crypto-checkout/protocol/amount';
import type { NodeChannels } from '@crypto-checkout/protocol/dashboard';
import { CHAINS, KINDS } from '@crypto-checkout/protocol/kind';
import type { Context } from '../context.ts';
import { askLiquidity } from '../http/monitoring/liquidity.ts';

/** The amounts that each node with channels can receive and send now. */
export async function readChannels(context: Pick<Context, 'chains'>): Promise<NodeChannels[]> {
  const asked = await askLiquidity(context);
  return [...asked].map(([chain, read]) => ({
    chain,
    name: CHAINS[chain].name,
    currency: KINDS.find((kind) => kind.chain === chain)!.symbol,
    open:
      read === null
        ? null
        : {
            channels: read.channels,
            receivable: formatAmount(read.receivable),
            sendable: formatAmount(read.sendable),
          },
  }));
}
