import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { SETTINGS as BFF } from '../packages/bff/src/host/config.ts';
import { SETTINGS as GATEWAY } from '../packages/gateway/src/config.ts';
import { writeCoverage } from '../packages/gateway/test/coverage.ts';

interface Described {
  fallback: string;
  meaning: string;
}
const README = new URL('../README.md', import.meta.url);
const START = '<!-- settings -->';
const END = '<!-- /settings -->';

/** The table of every setting, made from the two places that read the environment. */
export function settingsTable(): string {
  const rows = new Map<string, { server: string; setting: Described }[]>();
  for (const [server, settings] of [
    ['gateway', GATEWAY],
    ['BFF', BFF],
  ] as const)
    for (const [name, setting] of Object.entries<Described>(settings)) rows.set(name, [...(rows.get(name) ?? []), { server, setting }]);
  const lines = [...rows].flatMap(([name, uses]) => {
    const same = uses.every(({ setting }) => setting.fallback === uses[0]?.setting.fallback && setting.meaning === uses[0].setting.meaning);
    const shown = same ? [{ server: uses.map(({ server }) => server).join(', '), setting: uses[0]!.setting }] : uses;
    return shown.map(
      ({ server, setting }) =>
        `| \`${name}\` | ${server} | ${setting.fallback ? `\`${setting.fallback}\`` : ''} | ${setting.meaning.replaceAll('|', '\\|')} |`,
    );
  });
  return ['| Name | Server | Default | Meaning |', '|---|---|---|---|', ...lines].join('\n');
}

/** The README with the table of today. */
export function withSettings(readme: string): string {
  const [before, rest = ''] = readme.split(START);
  const [, after = ''] = rest.split(END);
  const text = `## Settings

Environment variables, checked at start: a mistake ends the start with a sentence that names the variable and what is allowed. \`npm start\`
sets those that connect its three servers.

<!-- prettier-ignore -->
${settingsTable()}
`;
  return `${before}${START}\n\n${text}\n${END}${after}`;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(README, withSettings(readFileSync(README, 'utf8')));
  writeCoverage();
}
