import { describeFacts } from '../../test/contract.ts';
import { startEvmChain } from '../../test/support/evm-chain.ts';

const ONE_ADDRESS = 'a transaction pays the coin to one address; contracts: adapter.test.ts';
const NO_MEMPOOL = 'the chain shows no payment before its block';

describeFacts('ETH on Ethereum', {
  create: () => startEvmChain('ethereum', 'ETH'),
  except: { several_outputs_to_one: ONE_ADDRESS, outputs_to_several: ONE_ADDRESS },
});

describeFacts('USDT on Ethereum', { create: () => startEvmChain('ethereum', 'ETH_USDT') });

describeFacts('USDC on Base', {
  create: () => startEvmChain('base', 'USDC-BASE'),
  except: {
    mempool: NO_MEMPOOL,
    dropped: NO_MEMPOOL,
    replaced_away: NO_MEMPOOL,
    replaced_to_us: NO_MEMPOOL,
  },
});
