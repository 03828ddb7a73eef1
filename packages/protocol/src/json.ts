/** The text is not the JSON that we accept; nothing else is thrown here. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
}

/** A number as it was written: amounts and nonces must never pass through a double. */
export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

export type JsonValue = null | boolean | string | JsonNumber | JsonValue[] | { [member: string]: JsonValue };

/** Nesting that is accepted; deeper is refused before it costs anything. */
export const MAX_DEPTH = 32;

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// One run of characters that end a string's plain part: no nested quantifiers, so time stays linear.
const PLAIN = /[ !#-[\]-\uffff]*/y;
const LONE_SURROGATE = /[\ud800-\udfff]/u;
const HEX4 = /[0-9a-fA-F]{4}/y;
const ESCAPES: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/**
 * Reads JSON (RFC 8259) without losing a digit and without the traps of `JSON.parse`: duplicate members, a member named
 * `__proto__`, and more than 32 levels are refused. Objects have no prototype.
 * @throws JsonError
 */
export function parseJson(text: string): JsonValue {
  let at = 0;

  return document();

  function document(): JsonValue {
    const result = parseValue(1);
    skip(SPACE);
    if (at < text.length) fail('something follows the value');
    return result;
  }

  function parseValue(depth: number): JsonValue {
    if (depth > MAX_DEPTH) fail(`more than ${MAX_DEPTH} levels`);
    skip(SPACE);
    switch (text[at] ?? '') {
      case '{':
        return parseObject(depth);
      case '[':
        return parseArray(depth);
      case '"':
        return parseString();
      case 't':
        return literal('true', true);
      case 'f':
        return literal('false', false);
      case 'n':
        return literal('null', null);
      default:
        return new JsonNumber(skip(NUMBER) || fail('a value is missing'));
    }
  }

  function parseObject(depth: number): JsonValue {
    const object: { [member: string]: JsonValue } = Object.create(null);
    at++;
    if (next('}')) return object;
    do {
      skip(SPACE);
      if (text[at] !== '"') fail('a member name is missing');
      const name = parseString();
      if (name === '__proto__') fail('a member may not be named __proto__');
      if (name in object) fail(`the member ${JSON.stringify(name.slice(0, 60))} comes twice`);
      if (!next(':')) fail('a colon is missing');
      object[name] = parseValue(depth + 1);
    } while (next(','));
    if (!next('}')) fail('a closing brace is missing');
    return object;
  }

  function parseArray(depth: number): JsonValue {
    const array: JsonValue[] = [];
    at++;
    if (next(']')) return array;
    do array.push(parseValue(depth + 1));
    while (next(','));
    if (!next(']')) fail('a closing bracket is missing');
    return array;
  }

  function parseString(): string {
    let result = '';
    at++;
    for (;;) {
      result += skip(PLAIN);
      const end = text[at++];
      if (end === '"') return LONE_SURROGATE.test(result) ? fail('a string is not Unicode') : result;
      if (end !== '\\') fail('a string does not end, or has a control character');
      result += escape();
    }
  }

  function escape(): string {
    const letter = text[at++] ?? '';
    if (letter === 'u') return String.fromCharCode(Number.parseInt(skip(HEX4) || fail('bad escape'), 16));
    return Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter]! : fail('bad escape');
  }

  function literal<T>(word: string, result: T): T {
    if (!text.startsWith(word, at)) fail('a value is missing');
    at += word.length;
    return result;
  }

  /** Takes the character when it is the next one. */
  function next(character: string): boolean {
    skip(SPACE);
    if (text[at] !== character) return false;
    at++;
    return true;
  }

  function skip(pattern: RegExp): string {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? '';
    at += found.length;
    return found;
  }

  function fail(what: string): never {
    throw new JsonError(`not the JSON that is accepted: ${what} (at character ${at})`);
  }
}

/** Writes a value as compact JSON, every number as it was read. */
export function writeJson(value: JsonValue): string {
  if (value instanceof JsonNumber) return value.source;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`)
    .join(',')}}`;
}
