import { type JsonSchema, refTo } from './schema.ts';
import { COMMON_WORDS } from './words-common.ts';
import { PAYLOAD_WORDS } from './words-payload.ts';
import { PAYMENT_WORDS } from './words-payment.ts';
import { SETTING_WORDS } from './words-setting.ts';

/** What a member means, and what it may look like; with `ref` the component that lists what it can be. */
export type Word = string | { text: string; example?: unknown; values?: readonly unknown[]; ref?: string };

/** By the path of a member: `amount.paid`; in a list the path of its items is that of the list. */
export type Words = Readonly<Record<string, Word>>;

const WORDS: Readonly<Record<string, Words>> = { ...PAYMENT_WORDS, ...SETTING_WORDS, ...PAYLOAD_WORDS };

/** The schema of a component with a sentence for each member; `''` for one that has no name. */
export function withWords(component: string, schema: JsonSchema): JsonSchema {
  return describe(schema, WORDS[component] ?? {}, '');
}

function describe(schema: JsonSchema, words: Words, path: string): JsonSchema {
  const own = wordOf(words, path);
  return inside(own === undefined ? schema : spoken(schema, own), words, path);
}

/** A list's items, and each choice of several, are described by the same words, below the same path. */
function inside(schema: JsonSchema, words: Words, path: string): JsonSchema {
  const json = { ...schema };
  if (json.properties) {
    const members = Object.entries(json.properties);
    json.properties = Object.fromEntries(
      members.map(([name, value]) => [name, describe(value, words, path === '' ? name : `${path}.${name}`)]),
    );
  }
  if (json.items) json.items = inside(json.items, words, path);
  if (json.anyOf) json.anyOf = json.anyOf.map((each) => inside(each, words, path));
  return json;
}

function wordOf(words: Words, path: string): Word | undefined {
  return words[path] ?? (path === '' ? undefined : COMMON_WORDS[path.split('.').at(-1) ?? '']);
}

function spoken(schema: JsonSchema, word: Word): JsonSchema {
  const { text, example, values, ref } = typeof word === 'string' ? ({ text: word } as Exclude<Word, string>) : word;
  const examples = example === undefined ? values : [example];
  const said = { description: text, ...(examples && { examples: [...examples] }) };
  if (ref === undefined) return { ...schema, ...said };
  // The list of what is allowed takes the place of what any text has to be.
  return { ...([schema.type].flat().includes('null') ? { anyOf: [refTo(ref), { type: 'null' }] } : refTo(ref)), ...said };
}

/** Every component that has words, with the paths of its members: for the test that none of them is left over. */
export const wordsOf = (component: string): Words => WORDS[component] ?? {};
export const describedComponents = (): string[] => Object.keys(WORDS);
