import { describeFacts } from '../../../chains/test/contract.ts';
import { startSandboxChain } from '../../test/support/sandbox-chain.ts';

const NO_NODE = 'no node stands between the adapter and its chain';
const faults = { behind: NO_NODE, silent: NO_NODE, empty: NO_NODE, other_network: NO_NODE };

describeFacts('BTC in the sandbox', {
  create: () => startSandboxChain('bitcoin', 'BTC'),
  except: faults,
});

describeFacts('USDT on TRON in the sandbox', {
  create: () => startSandboxChain('tron', 'USDT-TRX'),
  except: faults,
});
