/**
 * Formats milliseconds since the epoch as a timestamp of the wire format.
 * @example timestamp(0) // '1970-01-01T00:00:00.000000+00:00'
 */
export function timestamp(ms: number): string {
  // Cached, because everything in one scan happens at the same time.
  if (ms !== last.ms) last = { ms, text: `${new Date(ms).toISOString().slice(0, -1)}000+00:00` };
  return last.text;
}

let last = { ms: Number.NaN, text: '' };

/**
 * Parses a timestamp; microseconds are cut off.
 * @throws RangeError when the text is not a timestamp
 */
export function milliseconds(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new RangeError(`Not a timestamp: ${text}`);
  return ms;
}

/**
 * Converts PostgreSQL's text of a `timestamptz` in UTC (`2026-11-21 06:15:51.29111+00`) to the wire
 * format.
 */
export function timestampFromDatabase(text: string): string {
  const parts = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/.exec(text);
  if (!parts) throw new RangeError(`Not a timestamp in UTC: ${text}`);
  return `${parts[1]}T${parts[2]}.${(parts[3] ?? '').padEnd(6, '0')}+00:00`;
}
