/** Shorter names may differ by one letter only. */
const LONG_NAME = 6;

/**
 * The known name that a misspelled name resembles. The first letter must match, because foreign
 * names can stand beside ours.
 * @example closestName('successUrl', ['order_id', 'success_url']) // 'success_url'
 */
export function closestName(name: string, known: readonly string[]): string | undefined {
  return known.find((one) => {
    const [wrong, right] = [plain(name), plain(one)] as const;
    return (
      wrong[0] === right[0] && editDistance(wrong, right) <= (right.length < LONG_NAME ? 1 : 2)
    );
  });
}

/**
 * Names, for example of settings, that closely resemble a known one and therefore have no effect.
 * @example
 * misspelledNames(['EMBED_ORIGIN', 'PATH'], ['EMBED_ORIGINS'])
 * // [['EMBED_ORIGIN', 'EMBED_ORIGINS']]
 */
export function misspelledNames(
  names: readonly string[],
  known: readonly string[],
): [name: string, meant: string][] {
  return names.flatMap((name): [string, string][] => {
    const meant = known.includes(name) ? undefined : closestName(name, known);
    return meant ? [[name, meant]] : [];
  });
}

const plain = (name: string): string => name.replace(/[-_]/g, '').toLowerCase();

/**
 * Damerau–Levenshtein distance (optimal string alignment): insertions, deletions, substitutions and
 * swaps of neighbours.
 */
function editDistance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1];
      const swapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row.push(
        Math.min(
          rows[i - 1]![j]! + 1,
          row[j - 1]! + 1,
          rows[i - 1]![j - 1]! + (same ? 0 : 1),
          swapped ? rows[i - 2]![j - 2]! + 1 : Infinity,
        ),
      );
    }
    rows.push(row);
  }
  return rows[from.length]![to.length]!;
}
