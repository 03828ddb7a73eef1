import { readFileSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { createProgram } from '../src/cli/program.ts';
import { createSignerProgram } from '../src/signer/program.ts';

export const PAGE = new URL('../../../docs/reference/cli.md', import.meta.url);
/** The blocks of the page that are generated, by name. */
const BLOCKS: Readonly<Record<string, () => string>> = { commands, signer: signerCommands };

const program = (): Command =>
  createProgram({
    config: () => {
      throw new Error('the reference does not run commands');
    },
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
  return [
    `${'#'.repeat(level)} ${titleOf(help.commandUsage(command))}`,
    '',
    `\`${help.commandUsage(command)}\``,
    '',
    wrapped(cell(command.description())),
    ...(rows.length > 0 ? ['', '<!-- prettier-ignore -->', ...table] : []),
    '',
  ].join('\n');
}

/**
 * The signer's commands have the name of their program, because some are those of the gateway, too.
 */
const titleOf = (usage: string): string =>
  usage
    .replace(/ \[(?:options|command)\]/g, '')
    .replace(/^crypto-checkout-gateway ?/, '')
    .replace(/ [<[].*$/, '') || 'Every command';

/** All commands in the order of `--help`. */
function commands(): string {
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

/** The same of `crypto-checkout-signer`. */
function signerCommands(): string {
  const root = createSignerProgram();
  return [
    section(root, 3),
    ...root.commands
      .filter((command) => command.name() !== 'help')
      .map((command) => section(command, 4)),
  ].join('\n');
}

/** Replaces the generated blocks of the page. */
export function withCommands(page: string): string {
  return Object.entries(BLOCKS).reduce((text, [name, print]) => {
    const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const [before = '', rest] = text.split(start);
    if (rest === undefined) throw new Error(`the page has no ${start}`);
    const [, after = ''] = rest.split(end);
    return `${before}${start}\n\n${print()}\n${end}${after}`;
  }, page);
}

export function writeCliReference(): void {
  writeFileSync(PAGE, withCommands(readFileSync(PAGE, 'utf8')));
}
