import { expect, it } from 'vitest';
import { describeOnLitecoind, startLitecoind } from './litecoind.ts';

describeOnLitecoind('litecoind', () => {
  it('mines, and keeps its chain over a restart', async () => {
    const node = await startLitecoind({ authentication: 'cookie' });
    try {
      const address = 'rltc1q6rz28mcfaxtmd6v789l9rrlrusdprr9puuzgkg';
      await node.call('generatetoaddress', 3, address);
      await node.restart();
      expect(await node.call('getblockcount')).toBe(3);
    } finally {
      await node.stop();
    }
  });
});
