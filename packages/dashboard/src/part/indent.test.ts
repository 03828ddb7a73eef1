import { expect, it } from 'vitest';
import { indent } from './indent.ts';

it('puts each member on a line of its own', () => {
  expect(indent('{"a":[1,{"b":"x, {y}: \\"z\\""}],"c":{},"d":[]}')).toBe(
    '{\n  "a": [\n    1,\n    {\n      "b": "x, {y}: \\"z\\""\n    }\n  ],\n  "c": {},\n  "d": []\n}',
  );
});

it.each([
  '{"a":1.50,"b":12345678901234567890123,"c":"\\u0041\\/"}',
  ' [ true , null,\n -0.0e5 ] ',
  '"text"',
  '0',
  '[[],{},[{}]]',
  '""',
])('changes nothing but white space in %s', (text) => {
  const bare = (json: string): string => json.replace(/\s/g, '');
  expect(bare(indent(text))).toBe(bare(text));
  expect(JSON.parse(indent(text))).toEqual(JSON.parse(text));
});

it.each(['', '<h1>Error</h1>', '{"a":', 'null null'])('leaves %s, which is no JSON', (text) => {
  expect(indent(text)).toBe(text);
});
