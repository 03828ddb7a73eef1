import { describe, expect, it } from 'vitest';
import { createSecrets } from './secrets.ts';

describe('createSecrets', () => {
  const secrets = createSecrets(new Uint8Array(32).fill(1));

  it('opens what it sealed, each time', () => {
    const sealed = secrets.seal('a secret', 'key 1');
    expect(sealed).not.toContain('a secret');
    expect([secrets.unseal(sealed, 'key 1'), secrets.unseal(sealed, 'key 1')]).toEqual(['a secret', 'a secret']);
  });

  it('seals the same text differently each time', () => {
    expect(secrets.seal('a secret', 'key 1')).not.toBe(secrets.seal('a secret', 'key 1'));
  });

  it('does not open a text that was moved to another row, also when it was opened before', () => {
    const sealed = secrets.seal('a secret', 'key 1');
    secrets.unseal(sealed, 'key 1');
    expect(() => secrets.unseal(sealed, 'key 2')).toThrow(/sealed with another key/);
  });

  it('does not open a text that was changed', () => {
    const sealed = secrets.seal('a secret', 'key 1');
    secrets.unseal(sealed, 'key 1');
    const changed = `${sealed.slice(0, -2)}${sealed.at(-2) === 'A' ? 'B' : 'A'}${sealed.at(-1)}`;
    expect(() => secrets.unseal(changed, 'key 1')).toThrow(/sealed with another key/);
  });

  it('does not open what another key sealed', () => {
    const other = createSecrets(new Uint8Array(32).fill(2));
    expect(() => other.unseal(secrets.seal('a secret', 'key 1'), 'key 1')).toThrow(/sealed with another key/);
  });

  it('still opens the first after thousands of others', () => {
    const sealed = secrets.seal('a secret', 'key 1');
    for (let at = 0; at < 2_500; at += 1) secrets.unseal(secrets.seal(`secret ${at}`, 'key 2'), 'key 2');
    expect(secrets.unseal(sealed, 'key 1')).toBe('a secret');
  });
});
