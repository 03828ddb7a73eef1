import type { JsonSchema } from './schema.ts';
import { RESOURCE_WORDS } from './words-resource.ts';
import { PAYLOAD_WORDS } from './words-payload.ts';
import { COMMON_WORDS } from './words-common.ts';

/** What a member means, and what it may look like. */
export type Word = string | { text: string; example?: unknown; values?: readonly unknown[] };

/** By the path of a member: `amount.paid`; in a list the path of its items is that of the list. */
export type Words = Readonly<Record<string, Word>>;

const WORDS: Readonly<Record<string, Words>> = { ...RESOURCE_WORDS, ...PAYLOAD_WORDS };

/** The schema of a component with a sentence for each member; `''` for one that has no name. */
export function withWords(component: string, schema: JsonSchema): JsonSchema {
  return describe(schema, WORDS[component] ?? {}, '');
}

function describe(schema: JsonSchema, words: Words, path: string): JsonSchema {
  const own = wordOf(words, path);
  const json = own === undefined ? { ...schema } : spoken(schema, own);
  if (json.properties) {
    const members = Object.entries(json.properties);
    json.properties = Object.fromEntries(
      members.map(([name, value]) => [name, describe(value, words, path === '' ? name : `${path}.${name}`)]),
    );
  }
  // A list's items, and each choice of several, are described by the same words, below the same path.
  if (json.items && !json.items.$ref) json.items = inner(json.items, words, path);
  if (json.anyOf) json.anyOf = json.anyOf.map((each) => (each.$ref ? each : inner(each, words, path)));
  return json;
}

function inner(schema: JsonSchema, words: Words, path: string): JsonSchema {
  const { description: _same, examples: _list, ...json } = describe(schema, words, path);
  return json;
}

function wordOf(words: Words, path: string): Word | undefined {
  return words[path] ?? (path === '' ? undefined : COMMON_WORDS[path.split('.').at(-1) ?? '']);
}

function spoken(schema: JsonSchema, word: Word): JsonSchema {
  const { text, example, values } = typeof word === 'string' ? { text: word, example: undefined, values: undefined } : word;
  const examples = example === undefined ? values : [example];
  const json = { description: text, ...schema, ...(examples && { examples: [...examples] }) };
  if (schema.$ref) return { ...json, description: text };
  return json;
}

/** Every component that has words, with the paths of its members: for the test that none of them is left over. */
export const wordsOf = (component: string): Words => WORDS[component] ?? {};
export const describedComponents = (): string[] => Object.keys(WORDS);
