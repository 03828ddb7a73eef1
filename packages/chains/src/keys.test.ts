import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { receivingKey } from './hd-keys.ts';
import { loadKeys } from './keys.ts';

describe('loadKeys', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'keys-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('creates a random mnemonic at first start, readable by its owner only, and reuses it', () => {
    const first = loadKeys(dataDir, { network: 'testnet' });
    const path = join(dataDir, 'keys.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(
      (JSON.parse(readFileSync(path, 'utf8')) as { mnemonic: string }).mnemonic.split(' '),
    ).toHaveLength(24);
    expect(loadKeys(dataDir, { network: 'testnet' }).fingerprint).toBe(first.fingerprint);
  });

  it('creates different keys in another data folder', () => {
    const other = mkdtempSync(join(tmpdir(), 'keys-'));
    expect(loadKeys(other, { network: 'testnet' }).evm).not.toBe(
      loadKeys(dataDir, { network: 'testnet' }).evm,
    );
    rmSync(other, { recursive: true });
  });

  it.each(['', '{"mnemonic":"abandon abandon"}', '[]'])(
    'rejects a key file with the content %j without quoting it',
    (content) => {
      writeFileSync(join(dataDir, 'keys.json'), content, { mode: 0o600 });
      expect(() => loadKeys(dataDir, { network: 'testnet' })).toThrow(/holds no valid mnemonic/);
      expect(() => loadKeys(dataDir, { network: 'testnet' })).not.toThrow(/abandon/);
    },
  );

  it('returns no private keys of on-chain funds', () => {
    const keys = loadKeys(dataDir, { network: 'mainnet' });
    for (const account of [
      keys.bitcoin.bech32,
      keys.bitcoin.p2sh,
      keys.utxo.litecoin,
      keys.utxo.dogecoin,
      keys.evm,
      keys.tron,
      keys.liquid.account,
    ]) {
      expect(account).toMatch(/^xpub/);
    }
    expect(JSON.stringify(keys)).not.toContain(
      (JSON.parse(readFileSync(join(dataDir, 'keys.json'), 'utf8')) as { mnemonic: string })
        .mnemonic,
    );
  });

  it('rejects an extended private key instead of a public one', () => {
    const xprv =
      'xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi';
    expect(() => receivingKey(xprv, 0)).toThrow(/private key/);
  });
});
