import { afterEach, describe, expect, it, vi } from 'vitest';
import { ensureChromium, requireChromium, requireNode } from './setup.mjs';

afterEach(() => vi.unstubAllEnvs());

describe('setup', () => {
  it('refuses an old Node with one sentence', () => {
    expect(() => requireNode('20.18.9')).toThrow(
      /^Node 20\.18\.9 is too old: Crypto Checkout needs Node 20\.19 or newer\.$/,
    );
    expect(() => requireNode('18.20.4')).toThrow(/too old/);
    expect(() => requireNode('20.19.0')).not.toThrow();
    expect(() => requireNode('24.0.0')).not.toThrow();
  });

  it('installs no system package under SKIP_SYSTEM_PACKAGES, and names what is missing', () => {
    vi.stubEnv('SKIP_SYSTEM_PACKAGES', '1');
    expect(() => ensureChromium(() => false)).toThrow(
      /^No Chromium was found: install it \(Debian: apt-get install chromium\), or set CHROMIUM to its path\.$/,
    );
  });

  it('needs a Chromium for the tests of one package, and installs none', () => {
    vi.stubEnv('CHROMIUM', '/opt/no chrome');
    expect(() => requireChromium(() => false)).toThrow(
      /^No Chromium at \/opt\/no chrome: install it \(Debian: apt-get install chromium\), or set CHROMIUM to its path\.$/,
    );
    expect(() => requireChromium((path: string) => path === '/opt/no chrome')).not.toThrow();
  });

  it('takes the Chromium that CHROMIUM names, where it exists', () => {
    expect(ensureChromium((path: string) => path === '/usr/bin/chromium-browser')).toBe(
      '/usr/bin/chromium-browser',
    );
  });
});
