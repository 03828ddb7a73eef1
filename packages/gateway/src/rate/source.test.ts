import { expect, it } from 'vitest';
import { askSource } from './source.ts';

const source = {
  name: 'prices',
  urls: ['https://prices.example/v1?key=secret'],
  symbols: [],
  read: () => [],
};
const failing =
  (error: unknown): typeof fetch =>
  async () => {
    throw error;
  };

it('a source that cannot be reached is named by its host and the code of the system', async () => {
  const cause = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
  await expect(
    askSource(source, failing(new TypeError('fetch failed', { cause }))),
  ).rejects.toThrow(/^prices\.example: fetch failed \(ENOTFOUND\)$/);
  await expect(askSource(source, async () => new Response('', { status: 429 }))).rejects.toThrow(
    /^prices\.example: HTTP 429$/,
  );
});
