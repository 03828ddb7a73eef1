import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  describeOnLitecoind,
  jsonRpcOf,
  PASSWORD,
  startLitecoind,
  USER,
  type Litecoind,
} from '../../../test/support/litecoind.ts';
import { startRpcProxy, type RpcProxy } from '../../../test/support/rpc-proxy.ts';
import { createJsonRpc } from '../../json-rpc.ts';
import type { UtxoChainId } from '../network.ts';
import { parseRawTransaction } from '../raw.ts';
import { createBitcoinSendNode, type BitcoinSendNode } from './send-node.ts';

describeOnLitecoind('a node without an index of transactions', () => {
  let node: Litecoind;
  let send: BitcoinSendNode;
  beforeAll(async () => {
    node = await startLitecoind({ options: ['-txindex=0'] });
    send = createBitcoinSendNode(jsonRpcOf(node), 'litecoin');
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

describeOnLitecoind('the lowest rates of a node', () => {
  const rates = { minrelaytxfee: 0.000_02, incrementalrelayfee: 0.000_03, mempoolminfee: 0.000_01 };
  let node: Litecoind;
  let proxy: RpcProxy;
  beforeAll(async () => {
    node = await startLitecoind();
    proxy = await startRpcProxy(node.url, {
      authorization: `Basic ${btoa(`${USER}:${PASSWORD}`)}`,
    });
  });
  afterAll(async () => {
    await proxy?.stop();
    await node?.stop();
  });

  const ratesOf = (chain: UtxoChainId) =>
    createBitcoinSendNode(
      createJsonRpc({ url: proxy.url, exactNumbers: true }),
      chain,
    ).relayRates();
  const answer = (change: object): void =>
    proxy.change((call, given) =>
      call.method === 'getmempoolinfo'
        ? { result: { ...(given.result as object), ...change } }
        : given,
    );

  it('are those that it states', async () => {
    answer(rates);
    expect(await ratesOf('dogecoin')).toEqual({ least: 2, step: 3 });
  });

  it('are the usual ones where it states none, as Dogecoin Core 1.14 does', async () => {
    answer({ mempoolminfee: 0, minrelaytxfee: undefined, incrementalrelayfee: undefined });
    expect(await ratesOf('dogecoin')).toEqual({ least: 100, step: 100 });
    expect(await ratesOf('bitcoin')).toEqual({ least: 1, step: 1 });
  });
});
