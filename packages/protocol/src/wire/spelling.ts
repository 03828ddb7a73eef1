/** Shorter names may differ by one letter only. */
const LONG_NAME = 6;

/**
 * The known name that a misspelled name resembles most. The first letter must match, because
 * foreign names can stand beside ours.
 * @example closestName('successUrl', ['order_id', 'success_url']) // 'success_url'
 */
export const closestName = (name: string, known: readonly string[]): string | undefined =>
  closestNames(name, known)[0];

/** All known names that it resembles equally, and more than the others. */
function closestNames(name: string, known: readonly string[]): string[] {
  const wrong = plain(name);
  let least = Infinity;
  let closest: string[] = [];
  for (const one of known) {
    const right = plain(one);
    const most = right.length < LONG_NAME ? 1 : 2;
    // The given name may be of any length, and the distance is at least the difference.
    if (wrong[0] !== right[0] || Math.abs(wrong.length - right.length) > most) continue;
    const distance = editDistance(wrong, right);
    if (distance > most || distance > least) continue;
    if (distance < least) closest = [];
    least = distance;
    closest.push(one);
  }
  return closest;
}

/**
 * The rule for a name of a long list, as the end of a sentence: with the given name, and the known
 * ones that it resembles.
 * @example
 * notOneOf('coin kinds', 'BCT', ['BTC'])
 * // 'must be one of the coin kinds, such as BTC, not "BCT"'
 */
export function notOneOf(what: string, given: string, known: readonly string[]): string {
  const closest = closestNames(given, known);
  const such = closest.length === 0 ? '' : `such as ${closest.join(' or ')}, `;
  return `must be one of the ${what}, ${such}not ${quotedText(given)}`;
}

const MAX_QUOTED = 60;

/** A caller's text for a message: shortened, with escapes for what a reader could not see. */
export const quotedText = (text: string): string =>
  JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (sign) => `\\u${sign.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  );

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
