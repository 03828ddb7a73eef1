import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Bdk from 'bitcoindevkit';

/** The generated half of the package in JavaScript; the other half is WebAssembly. */
type Glue = typeof Bdk & { __wbg_set_wasm(exports: unknown): void };

/**
 * Loads the Bitcoin Dev Kit, a wallet library in Rust with its own client of Esplora. Its package
 * is made for bundlers, so its WebAssembly is started here.
 */
export async function loadBdk(): Promise<typeof Bdk> {
  await restoreResponse();
  const folder = dirname(createRequire(import.meta.url).resolve('bitcoindevkit'));
  const glue = (await import(pathToFileURL(join(folder, 'bitcoindevkit_bg.js')).href)) as Glue;
  const module = await WebAssembly.compile(readFileSync(join(folder, 'bitcoindevkit_bg.wasm')));
  const { exports } = await WebAssembly.instantiate(module, {
    './bitcoindevkit_bg.js': glue as unknown as WebAssembly.ModuleImports,
  });
  glue.__wbg_set_wasm(exports);
  (exports['__wbindgen_start'] as () => void)();
  return glue;
}

/**
 * The library checks that an answer is an instance of `Response`. A server library in the same
 * process replaces that class by its own, of which an answer of `fetch` is none.
 */
async function restoreResponse(): Promise<void> {
  const answer = await fetch('data:,');
  globalThis.Response = answer.constructor as typeof Response;
}

/**
 * A new wallet in regtest on a chain with this first block. Litecoin's differs from Bitcoin's,
 * which the library takes for granted.
 */
export function createBdkWallet(
  { Wallet, ChangeSet }: typeof Bdk,
  genesis: string,
  [receiving, change]: readonly [string, string],
): Bdk.Wallet {
  const created = Wallet.create('regtest', receiving, change).take_staged()!;
  const stored = JSON.parse(created.to_json()) as { local_chain: { blocks: object } };
  stored.local_chain.blocks = { 0: genesis };
  return Wallet.load(ChangeSet.from_json(JSON.stringify(stored)), receiving, change);
}
