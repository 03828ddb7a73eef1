/** Names shorter than this are near only when they differ by one letter. */
const LONG = 6;

/**
 * The known name that was meant, when another was misspelt. Others may have names of their own beside ours, so that the first letter has
 * to be right.
 * @example nearest('successUrl', ['order_id', 'success_url']) // 'success_url'
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  return known.find((one) => {
    const [wrong, right] = [plain(name), plain(one)] as const;
    return wrong[0] === right[0] && distance(wrong, right) <= (right.length < LONG ? 1 : 2);
  });
}

/**
 * Names that are nearly known ones, as of settings: they have no effect, and nobody else would say so.
 * @example misspelt(['EMBED_ORIGIN', 'PATH'], ['EMBED_ORIGINS']) // [['EMBED_ORIGIN', 'EMBED_ORIGINS']]
 */
export function misspelt(names: readonly string[], known: readonly string[]): [name: string, meant: string][] {
  return names.flatMap((name): [string, string][] => {
    const meant = known.includes(name) ? undefined : nearest(name, known);
    return meant ? [[name, meant]] : [];
  });
}

const plain = (name: string): string => name.replace(/[-_]/g, '').toLowerCase();

/** How many letters are missing, too many, others, or swapped with the one beside them. */
function distance(from: string, to: string): number {
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
