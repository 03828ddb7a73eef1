/**
 * A time as the interface writes it: ISO 8601 with microseconds and a UTC offset.
 * @example timestamp(0) // '1970-01-01T00:00:00.000000+00:00'
 */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, -1)}000+00:00`;
}
