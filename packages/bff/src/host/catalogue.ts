import { readFileSync } from 'node:fs';
import { JsonError, parseJsonWith, plainNumber } from '@crypto-checkout/protocol/json';
import { closestName } from '@crypto-checkout/protocol/spelling';
import { describeMistake } from '@crypto-checkout/protocol/order-token';
import type { z } from 'zod';
import { issueMessage, valueAt } from '../http/body.ts';
import { OptionsError } from '../options.ts';
import { Catalogue, ITEM_MEMBERS } from '../orders/catalogue.ts';

/** Maximum number of reported mistakes. */
const MAX_REPORTED = 10;

/**
 * Reads the operator's catalogue; empty without a file.
 * @throws OptionsError with one sentence per mistake, at most ten
 */
export function readCatalogue(path: string): Catalogue {
  if (path === '') return {};
  const value = parse(path, read(path));
  const catalogue = Catalogue.safeParse(value, { error: issueMessage });
  if (catalogue.success) return catalogue.data;
  const mistakes = catalogue.error.issues.flatMap((issue) => sentencesOf(issue, value));
  const more =
    mistakes.length > MAX_REPORTED
      ? [`CATALOGUE: ${mistakes.length - MAX_REPORTED} more mistakes.`]
      : [];
  throw new OptionsError([...mistakes.slice(0, MAX_REPORTED), ...more].join('\n'), {
    cause: catalogue.error,
  });
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be read by this user',
  EISDIR: 'is a folder',
};

function read(path: string): string {
  try {
    // Some editors write a byte order mark, which is not valid JSON.
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new OptionsError(
      `CATALOGUE must name a JSON file; "${path}" ${WHY[code] ?? `could not be read: ${message}`}.`,
      { cause: error },
    );
  }
}

/** Reports the place of the mistake without the content: the path may point to another file. */
function parse(path: string, text: string): unknown {
  try {
    return parseJsonWith<number | string>(text, plainNumber);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const at = Number(/\(at character (\d+)\)$/.exec(error.message)?.[1] ?? 0);
    const before = text.slice(0, at).split('\n');
    const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
    throw new OptionsError(
      `CATALOGUE must name a JSON file; "${path}" is not JSON: look at ${place}.`,
      { cause: error },
    );
  }
}

function sentencesOf(issue: z.core.$ZodIssue, value: unknown): string[] {
  const { path, message } = issue;
  if (path.length === 0)
    return [
      'CATALOGUE must hold an object of items, such as {"mug": {"description": "Mug", "amount": "18.50", "currency": "USD"}}.',
    ];
  const name = path.join('.');
  const found = valueAt(value, path);
  if (issue.code === 'invalid_key')
    return [
      `CATALOGUE: the id ${JSON.stringify(name.slice(0, 64))} ${issue.issues[0]?.message ?? 'is not valid'}.`,
    ];
  if (issue.code !== 'unrecognized_keys')
    return [`CATALOGUE: ${describeMistake(name, found, message)}.`];
  return issue.keys.map((key) => {
    const meant = closestName(
      key,
      ITEM_MEMBERS.filter((one) => Object(found)[one] === undefined),
    );
    return `CATALOGUE: ${name}.${key.slice(0, 60)} is unknown; ${meant ? `is ${meant} meant?` : `an item has ${ITEM_MEMBERS.join(', ')}.`}`;
  });
}
