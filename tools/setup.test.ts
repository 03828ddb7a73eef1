import { afterEach, describe, expect, it, vi } from 'vitest';
import { ensureChromium, hasPackagesOf, requireChromium, requireNode } from './setup.mjs';

afterEach(() => vi.unstubAllEnvs());

describe('setup', () => {
  it('refuses an old Node with one sentence', () => {
    expect(() => requireNode('20.18.9')).toThrow(
      /^Node 20\.18\.9 is too old: Crypto Checkout needs Node 20\.19, or 22\.12 or newer\.$/,
    );
    for (const version of ['18.20.4', '21.7.3', '22.11.0'])
      expect(() => requireNode(version)).toThrow(/too old/);
    expect(() => requireNode('22.12.0')).not.toThrow();
    expect(() => requireNode('20.19.0')).not.toThrow();
    expect(() => requireNode('24.0.0')).not.toThrow();
  });

  it('takes packages that were installed by hand, however old the files are', () => {
    const lock = {
      packages: {
        '': { version: '1.0.0' },
        'node_modules/a': { version: '1.2.3', integrity: 'sha512-a' },
        'node_modules/b-darwin': { version: '1.0.0', integrity: 'sha512-b', optional: true },
      },
    };
    const a = lock.packages['node_modules/a'];
    expect(hasPackagesOf(lock, { packages: { 'node_modules/a': a } })).toBe(true);
    expect(hasPackagesOf(lock, { packages: {} })).toBe(false);
    const older = { ...a, version: '1.2.2', integrity: 'sha512-c' };
    expect(hasPackagesOf(lock, { packages: { 'node_modules/a': older } })).toBe(false);
    const more = { 'node_modules/a': a, 'node_modules/left': a };
    expect(hasPackagesOf(lock, { packages: more })).toBe(false);
  });

  it('installs no system package under SKIP_SYSTEM_PACKAGES, and names what is missing', () => {
    vi.stubEnv('SKIP_SYSTEM_PACKAGES', '1');
    vi.stubEnv('CHROMIUM', undefined);
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

  it('takes an installed Chromium', () => {
    vi.stubEnv('CHROMIUM', undefined);
    expect(ensureChromium((path: string) => path === '/usr/bin/chromium-browser')).toBe(
      '/usr/bin/chromium-browser',
    );
  });

  it('takes the Chromium that CHROMIUM names, and no other one', () => {
    vi.stubEnv('CHROMIUM', '/opt/chrome');
    expect(ensureChromium((path: string) => path === '/opt/chrome')).toBe('/opt/chrome');
    expect(() => ensureChromium((path: string) => path === '/usr/bin/chromium')).toThrow(
      /^No Chromium at \/opt\/chrome: install it /,
    );
  });
});
