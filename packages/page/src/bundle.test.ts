import { fileURLToPath } from 'node:url';
import * as elements from '@crypto-checkout/elements';
import { type Rolldown, createBuilder } from 'vite';
import { beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const chunks: Record<string, Rolldown.OutputChunk[]> = {};

beforeAll(async () => {
  const builder = await createBuilder({
    root,
    configFile: `${root}vite.config.ts`,
    logLevel: 'error',
  });
  for (const name of ['embed', 'page']) {
    const environment = builder.environments[name]!;
    environment.config.build.write = false;
    const output = (await builder.build(environment)) as Rolldown.RolldownOutput;
    chunks[name] = output.output.filter((file) => file.type === 'chunk');
  }
});

describe.each(['embed', 'page'])('what a browser downloads: %s', (name) => {
  it('holds no secrets, no validation library and nothing of a server', () => {
    for (const { fileName, code, moduleIds } of chunks[name]!) {
      const foreign = moduleIds.filter((id) =>
        /node_modules\/(?!(?:lit|@lit|lit-html|lit-element|@lit-labs|qrcode|dijkstrajs)\/)/.test(
          id,
        ),
      );
      expect(foreign, fileName).toEqual([]);
      expect(
        moduleIds.filter((id) =>
          /packages\/(?:client|gateway|bff)\/|protocol\/src\/(?:schema|signature|order-token|callback)/.test(
            id,
          ),
        ),
        fileName,
      ).toEqual([]);
      expect(/["'`]node:|createHmac|crypto\.subtle|api_secret/.test(code), fileName).toBe(false);
    }
  });

  it('starts with one file; encoder, languages, the list of coins and what comes after paying come on demand', () => {
    const entry = chunks[name]!.find(({ fileName }) =>
      /^(?:crypto-checkout|page-[\w-]+)\.mjs$/.test(fileName),
    );
    expect(entry!.imports).toEqual([]);
    const modules = entry!.moduleIds.join('\n');
    expect(modules).not.toMatch(
      /qrcode|generated\/locales|lazy\/status\.ts|\/live-updates\.ts|coin-picker/,
    );
    expect(entry!.dynamicImports.length).toBeGreaterThan(2);
  });
});

it('what most buyers never need is in no file that all of them load', () => {
  const paying = chunks['page']!.find(({ name }) => name === 'paying');
  const modules = paying!.moduleIds.join('\n');
  expect(modules).toMatch(/status\/progress\.ts/);
  expect(modules).not.toMatch(
    /status\/(?:notes|trouble|hints)|lazy\/rare-marks|coin-picker\/(?:styles|search)\.ts|rolldown\/runtime/,
  );
});

it('exports this and nothing else', () => {
  expect(Object.keys(elements).toSorted()).toEqual([
    'CheckoutChangeEvent',
    'CheckoutCloseEvent',
    'CheckoutErrorEvent',
    'CheckoutPaidEvent',
    'CheckoutReadyEvent',
    'CoinPickEvent',
    'CryptoAddress',
    'CryptoAmount',
    'CryptoCheckout',
    'CryptoCheckoutButton',
    'CryptoCoinPicker',
    'CryptoCountdown',
    'CryptoQr',
    'CryptoStatus',
  ]);
});
