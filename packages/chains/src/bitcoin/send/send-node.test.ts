import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  describeOnLitecoind,
  PASSWORD,
  startLitecoind,
  USER,
  type Litecoind,
} from '../../../test/support/litecoind.ts';
import { createJsonRpc } from '../../json-rpc.ts';
import { parseRawTransaction } from '../raw.ts';
import { createBitcoinSendNode, type BitcoinSendNode } from './send-node.ts';

describeOnLitecoind('a node without an index of transactions', () => {
  let node: Litecoind;
  let send: BitcoinSendNode;
  beforeAll(async () => {
    node = await startLitecoind({ options: ['-txindex=0'] });
    const { url } = node;
    send = createBitcoinSendNode(
      createJsonRpc({ url, user: USER, password: PASSWORD, exactNumbers: true }),
    );
  });
  afterAll(() => node?.stop());

  it('hands out the bytes of a transaction with an unspent output, by its block', async () => {
    const [hash] = await node.call<string[]>('generatetodescriptor', 3, 'raw(51)');
    const { tx } = await node.call<{ tx: string[] }>('getblock', hash, 1);
    await expect(node.call('getrawtransaction', tx[0])).rejects.toMatchObject({ code: -5 });
    const raw = await send.transactionOf(`${tx[0]}:0`);
    expect(parseRawTransaction(raw).txid).toBe(tx[0]);
  });

  it('says so when it does not have them', async () => {
    const txid = 'a'.repeat(64);
    await expect(send.transactionOf(`${txid}:0`)).rejects.toThrow(
      `The node does not have the transaction ${txid}`,
    );
  });
});
