import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  describeOnLitecoind,
  PASSWORD,
  startLitecoind,
  USER,
  type Litecoind,
} from '../../../chains/test/support/litecoind.ts';
import { mineTo } from '../../../chains/test/support/lightning/lightning-network.ts';
import { testDatabase, type TestDatabase } from '../../test/support/database.ts';
import { loadConfig } from '../config.ts';
import { beginScan } from '../engine/scan-progress.ts';
import type { Finding } from './finding.ts';
import { checkNodes } from './nodes.ts';

describeOnLitecoind('the look at a node of Litecoin', () => {
  let node: Litecoind;
  let database: TestDatabase;
  beforeAll(async () => {
    [node, database] = await Promise.all([startLitecoind(), testDatabase()]);
    await mineTo(node, 5);
  });
  afterAll(async () => {
    await node.stop();
    await database.close();
  });

  const look = (more: Record<string, string> = {}): Promise<Finding[]> =>
    checkNodes(
      loadConfig({
        LTC_RPC_URL: node.url,
        LTC_NETWORK: 'regtest',
        LTC_RPC_USER: USER,
        LTC_RPC_PASSWORD: PASSWORD,
        ...more,
      }),
      database.db,
    );
  const faults = async (): Promise<Finding[]> =>
    (await look()).filter(({ result }) => result === 'fault');

  it('names a chain that is not the one that was read', async () => {
    const [genesis, hash] = await Promise.all([0, 5].map((at) => node.call('getblockhash', at)));
    await beginScan(database.db, 'litecoin', {
      beginning: { height: 5, hash: hash as string },
      source: `litecoin:regtest:${genesis as string}`,
    });
    expect(await faults()).toEqual([]);
    await node.call('invalidateblock', hash);
    expect(await faults()).toEqual([]);
    await node.call('createwallet', 'other');
    await node.call('generatetoaddress', 2, await node.call('getnewaddress'));
    expect(await faults()).toEqual([
      {
        about: 'LTC_RPC_URL',
        result: 'fault',
        says: expect.stringContaining(
          'The node has another chain than the one that this database read: a reorganisation of litecoin at height 5',
        ),
      },
    ]);
  });

  it('names a refused login once, and nothing about the network', async () => {
    const findings = await look({ LTC_RPC_PASSWORD: 'wrong' });
    expect(findings).toEqual([
      {
        about: 'LTC_RPC_URL',
        result: 'fault',
        says: expect.stringMatching(/^The node refuses the login/),
      },
    ]);
  });
});

it('a macaroon of a lightning node that is unreadable is a fault, and the look goes on', async () => {
  const config = loadConfig({
    LND_URL: 'https://127.0.0.1:1',
    LND_MACAROON: '/no/such/file.macaroon',
  });
  expect(await checkNodes(config, null)).toContainEqual({
    about: 'lightning',
    result: 'fault',
    says: expect.stringContaining('LND_MACAROON must be'),
  });
});
