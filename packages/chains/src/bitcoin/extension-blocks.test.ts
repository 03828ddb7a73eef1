import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mnemonicToSeedSync } from '@scure/bip39';
import { parseAmount } from '@crypto-checkout/protocol/amount';
import { words } from '../../test/support/bitcoin-chain.ts';
import {
  startEsploraServer,
  type EsploraServer,
} from '../../test/support/esplora/esplora-server.ts';
import {
  describeOnLitecoind,
  PASSWORD,
  startLitecoind,
  USER,
  type Litecoind,
} from '../../test/support/litecoind.ts';
import type { ChainAdapter, Cursor, Observation } from '../adapter.ts';
import { parseAddress } from '../deposit-target.ts';
import { publicKeysOf } from '../keys.ts';
import { bitcoinNetwork } from './network.ts';
import { type BitcoinSource, esploraSource, nodeSource } from './sources.ts';

const keys = publicKeysOf(mnemonicToSeedSync(words), { network: 'testnet' });
const network = bitcoinNetwork('litecoin', 'regtest');
const settings = {
  url: 'LTC_RPC_URL',
  network: 'LTC_NETWORK',
  user: 'LTC_RPC_USER',
  password: 'LTC_RPC_PASSWORD',
  cookie: 'LTC_RPC_COOKIE',
  esplora: 'LTC_ESPLORA_URL',
};
/** The block that begins the extension needs coins that move into it (LIP-0003). */
const FIRST_EXTENSION_BLOCK = 432;
const PEG_OUT_MATURITY = 6;

/** Reads a chain from its tip on, and keeps the payments to one address. */
class Reader {
  readonly payments = new Map<string, Observation>();
  readonly #adapter: ChainAdapter;
  readonly #watchKey: string;
  #cursor: Cursor | null = null;

  constructor(adapter: ChainAdapter, watchKey: string) {
    this.#adapter = adapter;
    this.#watchKey = watchKey;
  }

  static async of(source: BitcoinSource, watchKey: string): Promise<Reader> {
    const reader = new Reader(source.adapter({ setup: await source.setUp(), keys }), watchKey);
    await reader.look();
    return reader;
  }

  async look(): Promise<void> {
    const { cursor, events } = await this.#adapter.scan(
      this.#cursor,
      async (watchKeys) => new Set(watchKeys.filter((key) => key === this.#watchKey)),
      {
        maxBlocks: 100,
        open: [],
        watched: async () => [this.#watchKey],
        signal: AbortSignal.timeout(20_000),
      },
    );
    this.#cursor = cursor;
    for (const event of events)
      if (event.type === 'observed') this.payments.set(event.observation.key, event.observation);
  }
}

describeOnLitecoind("Litecoin's extension blocks on its own node", () => {
  let node: Litecoind;
  let service: EsploraServer;
  let readers: Record<'node' | 'esplora', Reader>;
  let address: string;
  let minedTo: string;

  const mine = (blocks: number): Promise<unknown> =>
    node.call('generatetoaddress', blocks, minedTo);
  const look = async (): Promise<void> => {
    for (const reader of Object.values(readers)) await reader.look();
  };
  /** Of a wallet that holds coins in the extension only. */
  const hidden = async <T>(method: string, ...params: readonly unknown[]): Promise<T> =>
    node.callWallet<T>('hidden', method, ...params);

  beforeAll(async () => {
    node = await startLitecoind({ extensionBlocks: true });
    await node.call('createwallet', 'open');
    await node.call('createwallet', 'hidden');
    minedTo = await node.callWallet('open', 'getnewaddress');
    await mine(FIRST_EXTENSION_BLOCK - 1);
    const stealth = await hidden<string>('getnewaddress', '', 'mweb');
    await node.callWallet('open', 'sendtoaddress', stealth, 20);
    await mine(1);
    service = await startEsploraServer(node, network);
    const login = { user: USER, password: PASSWORD };
    const own = nodeSource({ network, settings, http: { url: node.url, ...login } });
    const other = esploraSource({ network, settings, http: { url: service.url } });
    const target = await own.adapter({ setup: await own.setUp(), keys }).deriveTarget({
      kind: 'LTC',
      index: 3,
      amount: null,
      expirySeconds: 1,
      description: '',
      now: 0,
    });
    address = target.address!;
    const [watchKey = ''] = target.watchKeys;
    readers = { node: await Reader.of(own, watchKey), esplora: await Reader.of(other, watchKey) };
  }, 120_000);
  afterAll(async () => {
    await service?.stop();
    await node?.stop();
  });

  describe.each(['node', 'esplora'] as const)('read through the %s', (name) => {
    it('pass while coins move inside and into the extension', async () => {
      const stealth = await hidden<string>('getnewaddress', '', 'mweb');
      await hidden('sendtoaddress', stealth, 1);
      await node.callWallet('open', 'sendtoaddress', stealth, 2);
      await look();
      await mine(1);
      await look();
      expect(readers[name].payments.size).toBe(0);
    });
  });

  it('have addresses that no payout can reach', async () => {
    const stealth = await hidden<string>('getnewaddress', '', 'mweb');
    for (const [text, accounts] of [
      [stealth, 'testnet'],
      [stealth.toUpperCase(), 'testnet'],
      [stealth.replace(/^[a-z]+1/, 'ltcmweb1'), 'mainnet'],
    ] as const)
      expect(() => parseAddress('litecoin', accounts, text)).toThrow(
        `"${text}" is an address of Litecoin's extension blocks (MWEB), which payments can't reach`,
      );
  });

  it('credit coins that left the extension once they can be spent', async () => {
    const sent = await hidden<string>('sendtoaddress', address, 1.5);
    await look();
    const [hash] = (await mine(1)) as string[];
    await look();
    expect([readers.node.payments.size, readers.esplora.payments.size]).toEqual([0, 0]);
    await mine(PEG_OUT_MATURITY - 2);
    await look();
    expect([readers.node.payments.size, readers.esplora.payments.size]).toEqual([0, 0]);
    await mine(1);
    await look();
    const [payment] = readers.node.payments.values();
    expect(payment).toMatchObject({ amount: parseAmount('1.5'), block: { hash } });
    expect(payment?.txid).not.toBe(sent);
    expect([...readers.esplora.payments.values()]).toEqual([payment]);
    expect(service.violations).toEqual([]);
  });
});
