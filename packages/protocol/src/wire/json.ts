/** The text is not accepted JSON. This module throws no other error. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
}

/** A number as its text: amounts and nonces must never pass through a double. */
export class JsonNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** A JSON value whose numbers have the type `N`. */
export type JsonWith<N> =
  | null
  | boolean
  | string
  | N
  | JsonWith<N>[]
  | { [member: string]: JsonWith<N> };
export type JsonValue = JsonWith<JsonNumber>;

/** Maximum nesting; the parser stops as soon as it is exceeded. */
export const MAX_DEPTH = 32;

const SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// The characters of a string up to an escape. No nested quantifiers: parsing takes linear time.
const PLAIN = /[ !#-[\]-\uffff]*/y;
const LONE_SURROGATE = /[\ud800-\udfff]/u;
const HEX4 = /[0-9a-fA-F]{4}/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const QUOTE = 0x22;
const SPACE_CODE = 0x20;

/**
 * Parses JSON (RFC 8259) without losing a digit. Unlike `JSON.parse`, it refuses duplicate members,
 * a member named `__proto__` and more than 32 levels. Objects have no prototype.
 * @throws JsonError
 */
export function parseJson(text: string): JsonValue {
  return parseJsonWith(text, (source) => new JsonNumber(source));
}

/** Parses JSON and converts the text of each number with `number`. */
export function parseJsonWith<N>(text: string, number: (source: string) => N): JsonWith<N> {
  return new Reader(text, number).document();
}

/**
 * For `parseJsonWith`: a number, or its text if a double would be written differently. Numbers with
 * an exponent become text without one.
 */
export function plainNumber(source: string): number | string {
  const number = Number(source);
  const plain = withoutExponent(source);
  return String(number) === plain ? number : plain;
}

const EXPONENT = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d+)$/;
/** A longer text is left as it is: `1e999999` is seven characters, and a million digits. */
const MAX_EXPANDED = 60;

/**
 * Expands the exponent of a JSON number without rounding, because PHP and Python write small
 * amounts with one. Returns all other texts, and numbers with too many digits, unchanged.
 * @example withoutExponent('2.0e-5') // '0.00002'
 */
export function withoutExponent(source: string): string {
  const match = EXPONENT.exec(source);
  if (!match) return source;
  const [, sign, whole = '', decimals = '', exponent] = match;
  const shift = Number(exponent);
  if (source.length + Math.abs(shift) > MAX_EXPANDED) return source;
  const digits = whole + decimals;
  // The digits before the point; negative where zeros have to follow the point.
  const point = whole.length + shift;
  const integer = digits
    .slice(0, Math.max(point, 0))
    .padEnd(point, '0')
    .replace(/^0+(?=\d)/, '');
  const fraction = ('0'.repeat(Math.max(-point, 0)) + digits.slice(Math.max(point, 0))).replace(
    /0+$/,
    '',
  );
  return `${sign}${integer || '0'}${fraction && `.${fraction}`}`;
}

/**
 * An object without a prototype. Engines store `Object.create(null)` as a hash table, which is
 * slower to fill and to iterate (measured: a payload is parsed in three quarters of the time with
 * this class).
 */
class Members {
  [member: string]: JsonWith<never>;
}
Object.setPrototypeOf(Members.prototype, null);
Reflect.deleteProperty(Members.prototype, 'constructor');

class Reader<N> {
  readonly #text: string;
  readonly #number: (source: string) => N;
  #at = 0;

  constructor(text: string, number: (source: string) => N) {
    this.#text = text;
    this.#number = number;
  }

  document(): JsonWith<N> {
    const result = this.#value(1);
    this.#space();
    return this.#at < this.#text.length ? this.#fail('something follows the value') : result;
  }

  #value(depth: number): JsonWith<N> {
    if (depth > MAX_DEPTH) this.#fail(`more than ${MAX_DEPTH} levels`);
    this.#space();
    switch (this.#text[this.#at] ?? '') {
      case '{':
        return this.#object(depth);
      case '[':
        return this.#array(depth);
      case '"':
        return this.#string();
      case 't':
        return this.#literal('true', true);
      case 'f':
        return this.#literal('false', false);
      case 'n':
        return this.#literal('null', null);
      default:
        return this.#number(this.#skip(NUMBER) || this.#fail('a value is missing'));
    }
  }

  #object(depth: number): JsonWith<N> {
    const object: { [member: string]: JsonWith<N> } = new Members();
    this.#at++;
    if (this.#next('}')) return object;
    do {
      this.#space();
      if (this.#text.charCodeAt(this.#at) !== QUOTE) this.#fail('a member name is missing');
      const name = this.#string();
      if (name === '__proto__') this.#fail('a member may not be named __proto__');
      if (name in object) this.#fail(`the member ${JSON.stringify(name.slice(0, 60))} comes twice`);
      if (!this.#next(':')) this.#fail('a colon is missing');
      object[name] = this.#value(depth + 1);
    } while (this.#next(','));
    if (!this.#next('}')) this.#fail('a closing brace is missing');
    return object;
  }

  #array(depth: number): JsonWith<N> {
    const array: JsonWith<N>[] = [];
    this.#at++;
    if (this.#next(']')) return array;
    do array.push(this.#value(depth + 1));
    while (this.#next(','));
    if (!this.#next(']')) this.#fail('a closing bracket is missing');
    return array;
  }

  #string(): string {
    let result = '';
    this.#at++;
    for (;;) {
      result += this.#skip(PLAIN);
      const end = this.#text[this.#at++];
      if (end === '"')
        return LONE_SURROGATE.test(result) ? this.#fail('a string is not Unicode') : result;
      if (end !== '\\') this.#fail('a string does not end, or has a control character');
      result += this.#escape();
    }
  }

  #escape(): string {
    const letter = this.#text[this.#at++] ?? '';
    if (letter === 'u')
      return String.fromCharCode(Number.parseInt(this.#skip(HEX4) || this.#fail('bad escape'), 16));
    return Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter]! : this.#fail('bad escape');
  }

  #literal<T>(word: string, result: T): T {
    if (!this.#text.startsWith(word, this.#at)) this.#fail('a value is missing');
    this.#at += word.length;
    return result;
  }

  /** Skips the character if it is the next one. */
  #next(character: string): boolean {
    this.#space();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #space(): void {
    // Fast path: usually there is no white space, and all other characters are above it.
    if (this.#text.charCodeAt(this.#at) <= SPACE_CODE) this.#skip(SPACE);
  }

  #skip(pattern: RegExp): string {
    const from = this.#at;
    pattern.lastIndex = from;
    // Unlike `exec`, `test` allocates no array.
    if (!pattern.test(this.#text)) return '';
    this.#at = pattern.lastIndex;
    return this.#text.slice(from, this.#at);
  }

  #fail(what: string): never {
    throw new JsonError(`not the JSON that is accepted: ${what} (at character ${this.#at})`);
  }
}

/** Writes compact JSON, with every number as it was read. */
export function writeJson(value: JsonValue): string {
  if (value instanceof JsonNumber) return value.source;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`)
    .join(',')}}`;
}
