import fc from 'fast-check';

/** Strings that commonly break parsers. */
const ODD_STRINGS = [
  '',
  '\0',
  ' ',
  '\n',
  '-',
  '+',
  '0x',
  '1e999',
  '٣',
  '𝟏',
  'ﬁ',
  'İ',
  '\u202e',
  '\ud800',
  '\ufeff',
  '%00',
  '"',
  '\\',
  '{}',
  '[',
  '__proto__',
  'constructor',
  'null',
  'undefined',
  'NaN',
  '\u0130',
  ':',
  '=',
  ',',
  '1',
  'l',
  '0',
  'O',
  'q'.repeat(300),
  '1'.repeat(300),
];

type Change = { at: number; take: number; put: string; times: number };

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(10_000),
  take: fc.constantFrom(0, 0, 1, 1, 1, 2, 8, 400),
  put: fc.oneof(
    fc.constantFrom(...ODD_STRINGS),
    fc.string({ minLength: 1, maxLength: 3, unit: 'binary' }),
    fc.string({ minLength: 1, maxLength: 2 }),
  ),
  times: fc.constantFrom(1, 1, 1, 1, 2, 60),
});

function apply(text: string, { at, take, put, times }: Change): string {
  const from = text.length === 0 ? 0 : at % (text.length + 1);
  return text.slice(0, from) + put.repeat(times) + text.slice(from + take);
}

/**
 * Valid strings with parts removed, repeated or replaced by odd ones, and sometimes random strings.
 */
export function mutated(samples: readonly string[]): fc.Arbitrary<string> {
  const changed = fc
    .tuple(fc.constantFrom(...samples), fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([sample, changes]) => changes.reduce(apply, sample));
  const cased = fc
    .constantFrom(...samples)
    .map((text) => (text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase()));
  return fc.oneof(
    { weight: 8, arbitrary: changed },
    { weight: 1, arbitrary: cased },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  );
}

/** Any JSON value, with a bias towards unusual ones. */
export const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e21,
    Number.MAX_SAFE_INTEGER,
    [],
    {},
    [[]],
    ['a'],
    { id: 'x' },
    '9'.repeat(400),
    ...ODD_STRINGS,
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.integer().map(String),
  fc.jsonValue({ maxDepth: 3 }),
);

/** The object with one or two members changed, added or removed. */
export function mutatedObject(
  sample: Record<string, unknown>,
): fc.Arbitrary<Record<string, unknown>> {
  const names = Object.keys(sample);
  const one = fc.record({
    name:
      names.length === 0
        ? fc.string({ maxLength: 10 })
        : fc.oneof(fc.constantFrom(...names), fc.constantFrom('extra', '__proto__')),
    value: fc.oneof(
      { weight: 4, arbitrary: anyValue },
      { weight: 1, arbitrary: fc.constant(undefined) },
    ),
    inside: fc.nat(10),
  });
  return fc.array(one, { minLength: 1, maxLength: 2 }).map((changes) => {
    const made: Record<string, unknown> = structuredClone(sample);
    for (const { name, value, inside } of changes) {
      const list = made[name];
      const first: unknown = Array.isArray(list) ? list[0] : undefined;
      // Changes a nested member half of the time, such as a recipient's address.
      if (isObject(first) && inside > 3)
        first[Object.keys(first)[inside % Object.keys(first).length] ?? 'extra'] = value;
      else
        Object.defineProperty(made, name, {
          value,
          enumerable: true,
          configurable: true,
          writable: true,
        });
    }
    return made;
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
