import { describe, expect, it } from 'vitest';
import { createSecrets } from './secrets.ts';

describe('createSecrets', () => {
  const secrets = createSecrets(new Uint8Array(32).fill(1));

  it('decrypts its own output', () => {
    const sealed = secrets.seal('a secret', 'key 1');
    expect(sealed).not.toContain('a secret');
    expect([secrets.unseal(sealed, 'key 1'), secrets.unseal(sealed, 'key 1')]).toEqual([
      'a secret',
      'a secret',
    ]);
  });

  it('encrypts the same text differently each time', () => {
    expect(secrets.seal('a secret', 'key 1')).not.toBe(secrets.seal('a secret', 'key 1'));
  });

  it('rejects a text moved to another row, also after a first decryption', () => {
    const sealed = secrets.seal('a secret', 'key 1');
    secrets.unseal(sealed, 'key 1');
    expect(() => secrets.unseal(sealed, 'key 2')).toThrow(/sealed with another key/);
  });

  it('rejects a changed text', () => {
    const sealed = secrets.seal('a secret', 'key 1');
    secrets.unseal(sealed, 'key 1');
    const changed = `${sealed.slice(0, -2)}${sealed.at(-2) === 'A' ? 'B' : 'A'}${sealed.at(-1)}`;
    expect(() => secrets.unseal(changed, 'key 1')).toThrow(/sealed with another key/);
  });

  it('rejects a text encrypted with another key', () => {
    const other = createSecrets(new Uint8Array(32).fill(2));
    expect(() => other.unseal(secrets.seal('a secret', 'key 1'), 'key 1')).toThrow(
      /sealed with another key/,
    );
  });

  it('still decrypts the first after thousands of others', () => {
    const sealed = secrets.seal('a secret', 'key 1');
    for (let at = 0; at < 2_500; at += 1)
      secrets.unseal(secrets.seal(`secret ${at}`, 'key 2'), 'key 2');
    expect(secrets.unseal(sealed, 'key 1')).toBe('a secret');
  });
});
