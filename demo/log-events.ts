import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const ROOT = new URL('../', import.meta.url);
export const PAGE = new URL('docs/run/monitoring.md', ROOT);
const START = '<!-- events -->';
const END = '<!-- /events -->';
const SERVERS = {
  gateway: ['packages/gateway/src/', 'packages/chains/src/'],
  BFF: ['packages/bff/src/'],
};

interface Logged {
  server: string;
  event: string;
  level: string;
  message: string;
}

const sourcesOf = (folder: string): string[] =>
  readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(new URL(folder + file, ROOT), 'utf8'));

/**
 * Calls such as `log.warn({ event: 'x', … }, 'message')`; a message that is put together at run
 * time is left out.
 */
const CALL =
  /\blog\.(debug|info|warn|error|fatal)\(\s*\{\s*event: '(\w+)'[\s\S]*?\},\s*(?:'([^']*)')?/g;
/** Fields that are declared before the call. */
const DECLARED = /= \{\s*event: '(\w+)'[\s\S]*?\blog\.(debug|info|warn|error|fatal)\(/g;

/** Every event that a server logs, in alphabetical order. */
export function loggedEvents(): Logged[] {
  const found = new Map<string, Logged>();
  for (const [server, folders] of Object.entries(SERVERS))
    for (const source of folders.flatMap(sourcesOf)) {
      const calls = [
        ...[...source.matchAll(CALL)].map(([, level = '', event = '', message = '']) => ({
          level,
          event,
          message,
        })),
        ...[...source.matchAll(DECLARED)].map(([, event = '', level = '']) => ({
          level,
          event,
          message: '',
        })),
      ];
      for (const call of calls) {
        const name = `${server} ${call.event}`;
        if (!found.get(name)?.message) found.set(name, { server, ...call });
      }
    }
  return [...found.values()]
    .toSorted((a, b) => (`${a.server} ${a.event}` < `${b.server} ${b.event}` ? 1 : -1))
    .toReversed();
}

/** Every `event:` of a server's sources, wherever it stands. */
export const namedEvents = (server: keyof typeof SERVERS): string[] =>
  SERVERS[server]
    .flatMap(sourcesOf)
    .flatMap((source) =>
      [...source.matchAll(/\blog\.\w+\(\s*\{\s*event: '(\w+)'/g)].map(([, name = '']) => name),
    );

/** Calls of a log without an `event`, also not in an object that is declared before. */
export const callsWithoutEvent = (): string[] =>
  Object.values(SERVERS)
    .flat()
    .flatMap(sourcesOf)
    .flatMap((source) => {
      const isDeclared = source.search(DECLARED) >= 0;
      return [
        ...source.matchAll(/\blog\.(?:debug|info|warn|error|fatal)\((?!\s*\{\s*event: ').{0,60}/gs),
      ].flatMap(([call]) => (isDeclared && /\(\w+,/.test(call) ? [] : [call]));
    });

export function eventsTable(): string {
  const rows = loggedEvents().map(
    ({ server, event, level, message }) => `| ${server} | \`${event}\` | ${level} | ${message} |`,
  );
  return ['| Server | `event` | Level | Message |', '|---|---|---|---|', ...rows].join('\n');
}

/** The page with the events of today. */
export function withEvents(page: string): string {
  const [before = '', rest = ''] = page.split(START);
  const [, after = ''] = rest.split(END);
  return `${before}${START}\n\n<!-- prettier-ignore -->\n${eventsTable()}\n\n${END}${after}`;
}

export function writeEvents(): void {
  writeFileSync(PAGE, withEvents(readFileSync(PAGE, 'utf8')));
}
