import { describeMoney } from '../../test/contract.ts';
import { startEvmMoney } from '../../test/support/evm-money.ts';
import { startSandboxMoney } from '../../test/support/sandbox-chain.ts';

const NO_NODE = 'no node stands between the adapter and its chain';
const ONE_ADDRESS = 'a transaction pays the coin to one address';

describeMoney('BTC in the sandbox', {
  create: () => startSandboxMoney('bitcoin', 'BTC', 'BTC'),
  except: { node_fails: NO_NODE },
});

describeMoney('ETH on Ethereum', {
  create: () => startEvmMoney('ethereum', 'ETH'),
  except: { several_outputs_to_one: ONE_ADDRESS, outputs_to_several: ONE_ADDRESS },
});

describeMoney('USDT on Ethereum', { create: () => startEvmMoney('ethereum', 'ETH_USDT') });
