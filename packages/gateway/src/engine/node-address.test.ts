import { describe, expect, it } from 'vitest';
import { requireSafeAddresses } from './node-address.ts';

const check = (...urls: string[]) => requireSafeAddresses('ETH_RPC_URL', urls);

describe('requireSafeAddresses', () => {
  it.each([
    'https://node.example/key',
    'http://localhost:8545',
    'http://127.0.0.1:8545',
    'http://user:word@10.1.2.3:8545',
    'http://172.16.0.4',
    'http://192.168.1.1',
    'http://[::1]:8545',
    'http://[fd00::2]:8545',
    // A service of the same Docker network, and names that only resolve in a private network.
    'http://geth:8545',
    'http://geth.internal:8545',
  ])('accepts %s', (url) => {
    expect(() => check(url)).not.toThrow();
  });

  it.each(['http://node.example/secret', 'http://8.8.8.8', 'http://[2001:db8::1]:8545'])(
    'refuses %s without its value',
    (url) => {
      expect(() => check('https://node.example', url)).toThrow(
        /^ETH_RPC_URL must hold https URLs on a main network; http is for loopback and private addresses\.$/,
      );
    },
  );
});
