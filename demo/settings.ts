import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { SETTINGS as BFF } from '../packages/bff/src/host/config.ts';
import { SETTINGS as GATEWAY } from '../packages/gateway/src/config.ts';
import { SIGNER_SETTINGS } from '../packages/gateway/src/settings/keys.ts';
import { writeCliReference } from '../packages/gateway/test/cli-reference.ts';
import { writeCoverage } from '../packages/gateway/test/coverage.ts';
import { writeCheckoutFields } from './checkout-fields.ts';
import { writeEvents } from './log-events.ts';
import { writeNetworks } from './networks.ts';

interface Described {
  fallback: string;
  meaning: string;
}
const PAGE = new URL('../docs/run/settings.md', import.meta.url);
const START = '<!-- settings -->';
const END = '<!-- /settings -->';

/** The table of every setting, generated from the two modules that read the environment. */
export function settingsTable(): string {
  const rows = new Map<string, { server: string; setting: Described }[]>();
  for (const [server, settings] of [
    ['gateway', GATEWAY],
    ['signer', SIGNER_SETTINGS],
    ['BFF', BFF],
  ] as const)
    for (const [name, setting] of Object.entries<Described>(settings))
      rows.set(name, [...(rows.get(name) ?? []), { server, setting }]);
  const lines = [...rows].flatMap(([name, uses]) => {
    const same = uses.every(
      ({ setting }) =>
        setting.fallback === uses[0]?.setting.fallback &&
        setting.meaning === uses[0].setting.meaning,
    );
    const shown = same
      ? [{ server: uses.map(({ server }) => server).join(', '), setting: uses[0]!.setting }]
      : uses;
    return shown.map(
      ({ server, setting }) =>
        `| \`${name}\` | ${server} | ${setting.fallback ? `\`${setting.fallback}\`` : ''} | ${setting.meaning.replaceAll('|', '\\|')} |`,
    );
  });
  return ['| Name | Server | Default | Meaning |', '|---|---|---|---|', ...lines].join('\n');
}

/** The page with the current table. */
export function withSettings(page: string): string {
  const [before, rest = ''] = page.split(START);
  const [, after = ''] = rest.split(END);
  return `${before}${START}

<!-- prettier-ignore -->
${settingsTable()}

${END}${after}`;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(PAGE, withSettings(readFileSync(PAGE, 'utf8')));
  writeCoverage();
  writeCliReference();
  writeEvents();
  writeNetworks();
  writeCheckoutFields();
}
