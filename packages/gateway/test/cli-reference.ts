import { readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { createProgram } from '../src/cli/program.ts';

export const PAGE = new URL('../../../docs/reference/cli.md', import.meta.url);
const START = '<!-- commands -->';
const END = '<!-- /commands -->';

const program = (): Command =>
  createProgram({
    open: () => Promise.reject(new Error('the reference does not run commands')),
    out: () => {},
    note: () => {},
    input: () => Buffer.alloc(0),
    progress: () => {},
    resolve: () => Promise.resolve([]),
  });

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '\\<');

/** Breaks a description into lines of at most 100 columns. */
const wrapped = (text: string): string => text.replaceAll(/(.{1,100})(?: |$)/g, '$1\n').trimEnd();

/** One command with its arguments and options, as `--help` prints them. */
function section(command: Command, level: number): string {
  const help = command.createHelp();
  const rows = [
    ...help
      .visibleArguments(command)
      .map(
        (argument) => [help.argumentTerm(argument), help.argumentDescription(argument)] as const,
      ),
    ...help.visibleOptions(command).flatMap((option) => {
      const isHelp = option.long === '--help';
      return isHelp ? [] : [[help.optionTerm(option), help.optionDescription(option)] as const];
    }),
  ];
  const table = [
    '| Argument or option | Meaning |',
    '|---|---|',
    ...rows.map(([term, text]) => `| \`${term}\` | ${cell(text)} |`),
  ];
  const parents = help.commandUsage(command).replace(/ \[(?:options|command)\]/g, '');
  return [
    `${'#'.repeat(level)} ${parents.replace(/^crypto-checkout-gateway ?/, '').replace(/ [<[].*$/, '') || 'Every command'}`,
    '',
    `\`${help.commandUsage(command)}\``,
    '',
    wrapped(cell(command.description())),
    ...(rows.length > 0 ? ['', '<!-- prettier-ignore -->', ...table] : []),
    '',
  ].join('\n');
}

/** All commands in the order of `--help`. */
export function commands(): string {
  const root = program();
  const inner = (parent: Command): readonly Command[] =>
    parent.commands.filter((command) => command.name() !== 'help');
  return [
    section(root, 2),
    ...inner(root).flatMap((command) => [
      section(command, 2),
      ...inner(command).map((each) => section(each, 3)),
    ]),
  ].join('\n');
}

/** Replaces the generated block of the page. */
export function withCommands(page: string): string {
  const [before = '', rest = ''] = page.split(START);
  const [, after = ''] = rest.split(END);
  return `${before}${START}\n\n${commands()}\n${END}${after}`;
}

export function writeCliReference(): void {
  writeFileSync(PAGE, withCommands(readFileSync(PAGE, 'utf8')));
}
