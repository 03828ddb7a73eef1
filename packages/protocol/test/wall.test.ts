import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

const source = new URL('../src/', import.meta.url);
const FILES = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!\.test|\.d)\.ts$/.test(file));

/** What a browser bundle may import; a page must get no schema library and nothing to sign with. */
const FOR_BROWSERS = [
  'checkout.ts',
  'kind.ts',
  'amount.ts',
  'qr.ts',
  'payment-string.ts',
  'currency.ts',
  'status.ts',
  'event.ts',
  'nearest.ts',
];

test.each(FILES)('%s imports nothing that only Node has', (file) => {
  expect(importsOf(file).filter((from) => from.startsWith('node:'))).toEqual([]);
});

test.each(FILES)('%s imports zod only as a schema, and qrcode only as `qr`', (file) => {
  const foreign = importsOf(file).filter((from) => !from.startsWith('.'));
  const allowed = file.startsWith('schema/') ? ['zod'] : file === 'qr.ts' ? ['qrcode/lib/core/qrcode.js'] : [];
  expect(foreign.filter((from) => !allowed.includes(from))).toEqual([]);
});

test.each(FOR_BROWSERS)('%s brings no schema and no signing code along', (file) => {
  const reached = reachedFrom(file);
  expect([...reached].filter((name) => /schema|signature|callback|order-token|bytes/.test(name))).toEqual([]);
});

function reachedFrom(file: string, reached = new Set<string>()): Set<string> {
  if (reached.has(file)) return reached;
  reached.add(file);
  for (const from of importsOf(file)) {
    const name = from.replace(/^\.\//, '');
    if (existsSync(new URL(name, source))) reachedFrom(name, reached);
  }
  return reached;
}

function importsOf(file: string): string[] {
  return [...readFileSync(new URL(file, source), 'utf8').matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, from]) => from!);
}
