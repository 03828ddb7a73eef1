import { readFileSync, writeFileSync } from 'node:fs';
import { EVM_CHAINS, nodeSettingNames } from '../packages/gateway/src/settings/evm-nodes.ts';
import { CHAINS, type EvmChainId } from '../packages/protocol/src/kinds/kind.ts';

export const PAGE = new URL('../docs/run/networks.md', import.meta.url);
const START = '<!-- networks -->';
const END = '<!-- /networks -->';

/** Seconds as people say them: `3 s`, `2.4 min`. */
const duration = (seconds: number): string =>
  seconds < 60
    ? `${Number(seconds.toPrecision(2))} s`
    : `${Number((seconds / 60).toPrecision(2))} min`;

function row(id: EvmChainId): string {
  const { name, evmChainId, testEvmChainId, coins, blockSeconds, finalConfirmations } = CHAINS[id];
  const settings = nodeSettingNames(id);
  const final = `${finalConfirmations} blocks, ${duration(finalConfirmations * blockSeconds)}`;
  const ids = `${evmChainId} / ${testEvmChainId}`;
  const kinds = Object.keys(coins).map((kind) => `\`${kind}\``);
  return `| ${name} | \`${settings.url}\`, \`${settings.tokens}\` | ${ids} | ${final} | ${kinds.join(', ')} |`;
}

/** The chains that nodes can serve, from the tables that the gateway uses. */
export const networksTable = (): string =>
  [
    '| Chain | Settings | Chain id, main / test | Final | Kinds |',
    '|---|---|---|---|---|',
    ...EVM_CHAINS.map(row),
  ].join('\n');

/** The table of chains that a page has; empty without one. */
export const tableOf = (page: string): string =>
  page.split(START)[1]?.split(END)[0]?.replace('<!-- prettier-ignore -->', '').trim() ?? '';

/** Returns the page with the current table of chains. */
export function withNetworks(page: string): string {
  const [before = '', rest = ''] = page.split(START);
  const [, after = ''] = rest.split(END);
  return `${before}${START}\n\n<!-- prettier-ignore -->\n${networksTable()}\n\n${END}${after}`;
}

export function writeNetworks(): void {
  writeFileSync(PAGE, withNetworks(readFileSync(PAGE, 'utf8')));
}
