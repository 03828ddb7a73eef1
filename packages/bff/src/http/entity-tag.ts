/**
 * Whether `If-None-Match` contains the tag, by the weak comparison of RFC 9110: a proxy that
 * compresses makes tags weak. `*` matches everything that exists.
 */
export function matchesEntityTag(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || (tags.length === 1 && tags[0] === '*');
}
