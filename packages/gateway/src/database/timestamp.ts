/**
 * Milliseconds since the epoch in the spec's form of a timestamp.
 * @example timestamp(0) // '1970-01-01T00:00:00.000000+00:00'
 */
export function timestamp(ms: number): string {
  // Everything in one look at a chain happens at the same time.
  if (ms !== last.ms) last = { ms, text: `${new Date(ms).toISOString().slice(0, -1)}000+00:00` };
  return last.text;
}

let last = { ms: Number.NaN, text: '' };

/**
 * The way back; microseconds are cut off.
 * @throws RangeError when the text is not a timestamp
 */
export function milliseconds(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new RangeError(`Not a timestamp: ${text}`);
  return ms;
}

/** PostgreSQL's text of a `timestamptz` in UTC (`2026-11-21 06:15:51.29111+00`) in the spec's form. */
export function timestampFromDatabase(text: string): string {
  const parts = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/.exec(text);
  if (!parts) throw new RangeError(`Not a timestamp in UTC: ${text}`);
  return `${parts[1]}T${parts[2]}.${(parts[3] ?? '').padEnd(6, '0')}+00:00`;
}
