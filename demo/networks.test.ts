import { readFileSync, readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { networkNames, UTXO_CHAINS } from '../packages/chains/src/bitcoin/network.ts';
import { bitcoinSettingNames } from '../packages/gateway/src/settings/bitcoin.ts';
import { CHAINS } from '../packages/protocol/src/kinds/kind.ts';
import { networksTable, PAGE, tableOf } from './networks.ts';

it('docs/run/networks.md lists every chain that a node can serve (`npm run docs` writes the table)', () => {
  expect(tableOf(readFileSync(PAGE, 'utf8'))).toBe(networksTable());
});

it.each(UTXO_CHAINS)('docs/run/networks.md has a row for %s', (chain) => {
  const { name, finalConfirmations, blockSeconds } = CHAINS[chain];
  const minutes = (finalConfirmations * blockSeconds) / 60;
  const facts = [
    `\`${bitcoinSettingNames(chain).url}\``,
    networkNames(chain).join(', '),
    `${finalConfirmations} blocks, ${minutes} min`,
  ];
  const lines = readFileSync(PAGE, 'utf8').split('\n');
  const row = lines.find((line) => line.startsWith(`| ${name} `)) ?? '';
  expect(
    facts.filter((fact) => !row.includes(fact)),
    `the row "${name}" of docs/run/networks.md lacks these`,
  ).toEqual([]);
});

it('docs/run/networks.md names every host that rates come from', () => {
  const folder = new URL('../packages/gateway/src/rate/sources/', import.meta.url);
  const hosts = readdirSync(folder)
    .filter((file) => !file.includes('.test.'))
    .flatMap(
      (file) => readFileSync(new URL(file, folder), 'utf8').match(/https:\/\/[a-z0-9.-]+/g) ?? [],
    );
  expect(hosts.length).toBeGreaterThan(5);
  const page = readFileSync(PAGE, 'utf8');
  const missing = hosts.filter((host) => !page.includes(`\`${host.replace('https://', '')}\``));
  expect(missing, 'docs/run/networks.md lacks these hosts').toEqual([]);
});
