import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from 'vitest';

const source = new URL('../src/', import.meta.url);
const FILES = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /(?<!\.test|\.d)\.ts$/.test(file),
);

/** Modules that browser bundles import: they must load no schema library and no signing code. */
const FOR_BROWSERS = [
  'checkout/checkout.ts',
  'checkout/open-stages.ts',
  'kinds/kind.ts',
  'kinds/gas.ts',
  'amount/amount.ts',
  'checkout/qr.ts',
  'checkout/payment-string.ts',
  'amount/currency.ts',
  'wire/address-proof.ts',
  'wire/status.ts',
  'wire/void-status.ts',
  'wire/event.ts',
  'wire/spelling.ts',
];

test.each(FILES)('%s imports no Node module', (file) => {
  expect(importsOf(file).filter((from) => from.startsWith('node:'))).toEqual([]);
});

test.each(FILES)('%s imports zod in schema/ only, and qrcode in qr.ts only', (file) => {
  const foreign = importsOf(file).filter((from) => !from.startsWith('.'));
  const allowed = file.startsWith('schema/')
    ? ['zod']
    : file === 'checkout/qr.ts'
      ? ['qrcode/lib/core/qrcode.js']
      : [];
  expect(foreign.filter((from) => !allowed.includes(from))).toEqual([]);
});

test.each(FOR_BROWSERS)('%s loads no schema and no signing code', (file) => {
  const reached = reachedFrom(file);
  expect(
    [...reached].filter((name) => /schema|signature|callback|order-token|bytes/.test(name)),
  ).toEqual([]);
});

function reachedFrom(file: string, reached = new Set<string>()): Set<string> {
  if (reached.has(file)) return reached;
  reached.add(file);
  for (const from of importsOf(file)) {
    const name = posix.join(posix.dirname(file), from);
    if (from.startsWith('.') && existsSync(new URL(name, source))) reachedFrom(name, reached);
  }
  return reached;
}

function importsOf(file: string): string[] {
  return [
    ...readFileSync(new URL(file, source), 'utf8').matchAll(/(?:from|import\() ?'([^']+)'/g),
  ].map(([, from]) => from!);
}
