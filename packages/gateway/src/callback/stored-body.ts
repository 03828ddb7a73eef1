const RESULT = ',"result":';

/**
 * A callback's body as it is stored. The resource stands in it twice, under `result` and, for receivers that read only that, under its
 * name: what would be said again is left out, which is nearly half of all that a payment writes.
 */
export function storedBody(
  head: { callback_id: string; callback_status: string; signature: string },
  resource: string,
  shown: object,
): string {
  return `${JSON.stringify(head).slice(0, -1)}${RESULT}${JSON.stringify(shown)},"${resource}":`;
}

/** The exact bytes that are sent, now and on every retry. One that was stored whole is as it was. */
export function sentBody(stored: string): string {
  if (stored.endsWith('}')) return stored;
  // Nothing before it can hold a text of somebody else's.
  const begin = stored.indexOf(RESULT) + RESULT.length;
  return `${stored}${stored.slice(begin, stored.lastIndexOf(',"'))}}`;
}
