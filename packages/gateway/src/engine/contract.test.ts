import { describeMoney } from '../../test/contract.ts';
import { startEvmMoney } from '../../test/support/evm-money.ts';
import { startSandboxMoney } from '../../test/support/sandbox-chain.ts';

const NO_NODE = 'no node stands between the adapter and its chain';
const NEVER = 'a transaction of this chain never runs out';
const never = { expired: NEVER, expired_twice: NEVER };
const NO_DUST = 'nodes of this chain pass on every amount';
const ONE_ADDRESS = 'a transaction pays the coin to one address';

describeMoney('BTC in the sandbox', {
  create: () => startSandboxMoney('bitcoin', 'BTC', 'BTC'),
  except: { node_fails: NO_NODE, ...never },
});

describeMoney('ETH on Ethereum', {
  create: () => startEvmMoney('ethereum', 'ETH'),
  except: {
    dust: NO_DUST,
    several_outputs_to_one: ONE_ADDRESS,
    outputs_to_several: ONE_ADDRESS,
    ...never,
  },
});

describeMoney('USDT on Ethereum', {
  create: () => startEvmMoney('ethereum', 'ETH_USDT'),
  except: { dust: NO_DUST, ...never },
});

describeMoney('TRX in the sandbox', {
  create: () => startSandboxMoney('tron', 'TRX', 'TRX'),
  only: ['exact', 'payout', 'payout_killed', 'expired', 'expired_twice'],
});
