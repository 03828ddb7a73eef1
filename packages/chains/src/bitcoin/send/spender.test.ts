import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  describeOnLitecoind,
  jsonRpcOf,
  startLitecoind,
  type Litecoind,
} from '../../../test/support/litecoind.ts';
import { createBitcoinSendNode, type BitcoinSendNode } from './send-node.ts';
import { findSpender } from './spender.ts';

interface Spent {
  outpoint: string;
  txid: string;
  raw: string;
  /** Of the block with the transaction. */
  height: number;
}

/** Anyone can spend it. */
const OPEN = 'raw(51)';

describeOnLitecoind('the search for the transaction that spends an output', () => {
  let litecoind: Litecoind;
  let node: BitcoinSendNode;
  /** Heights of the blocks that the search read. */
  let read: number[] = [];
  beforeAll(async () => {
    litecoind = await startLitecoind({ options: ['-acceptnonstdtxn=1'] });
    const plain = createBitcoinSendNode(jsonRpcOf(litecoind), 'litecoin');
    node = {
      ...plain,
      transactionsAt(height) {
        read.push(height);
        return plain.transactionsAt(height);
      },
    };
  });
  afterAll(() => litecoind?.stop());

  const mine = (count: number) => litecoind.call<string[]>('generatetodescriptor', count, OPEN);

  /** Spends the coins that a block created, and mines that. */
  async function spend(block: string): Promise<Spent> {
    const { tx } = await litecoind.call<{ tx: string[] }>('getblock', block, 1);
    const outpoint = `${tx[0]}:0`;
    const raw = await litecoind.call<string>(
      'createrawtransaction',
      [{ txid: tx[0], vout: 0 }],
      [{ data: '00'.repeat(40) }],
    );
    const txid = await litecoind.call<string>('sendrawtransaction', raw, 0);
    await mine(1);
    return { outpoint, txid, raw, height: await node.height() };
  }

  async function look(outpoint: string, above: number) {
    read = [];
    return findSpender(node, [outpoint], { above, tip: await node.height() });
  }

  it('goes on in the next look, as far back as the plan', async () => {
    const [block] = await mine(101);
    const { outpoint, txid, height } = await spend(block!);
    await mine(550);
    await mine(550);
    const above = height - 1;
    expect(await look(outpoint, above)).toBeNull();
    expect(read).toHaveLength(1_000);
    await mine(3);
    expect(await look(outpoint, above)).toMatchObject({ height, transaction: { txid } });
    expect(read.length).toBeLessThan(210);
    // It is known from then on.
    expect(await look(outpoint, above)).toMatchObject({ height, transaction: { txid } });
    expect(read.at(-1)).toBe(height);
  }, 60_000);

  it('reads only new blocks and those that can change, once it has read all', async () => {
    const above = (await node.height()) - 500;
    const unknown = `${'ab'.repeat(32)}:0`;
    expect(await look(unknown, above)).toBeNull();
    expect(read).toHaveLength(500);
    await mine(2);
    expect(await look(unknown, above)).toBeNull();
    expect(read.length).toBeLessThan(110);
  });

  it('finds a transaction that a reorganisation brought', async () => {
    const [block] = await mine(101);
    const unspentYet = await litecoind.call<{ tx: string[] }>('getblock', block, 1);
    const above = await node.height();
    await mine(5);
    const outpoint = `${unspentYet.tx[0]}:0`;
    expect(await look(outpoint, above)).toBeNull();
    const { txid, height, raw } = await spend(block!);
    await mine(20);
    expect(await look(outpoint, above)).toMatchObject({ height, transaction: { txid } });
    await litecoind.call('invalidateblock', await node.hashAt(height));
    await mine(10);
    expect(await look(outpoint, above)).toBeNull();
    await litecoind.call('sendrawtransaction', raw, 0);
    await mine(60);
    const again = await look(outpoint, above);
    expect(again).toMatchObject({ transaction: { txid } });
    expect(again!.height).toBe(height + 10);
  }, 60_000);
});
