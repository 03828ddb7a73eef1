const QUOTE = 34;
const MINUS = 45;
const ZERO = 48;
const NINE = 57;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * Parses JSON. Numbers with a fraction, an exponent or more digits than a double holds become text,
 * as they stand: an amount of money never passes through a double.
 * @example parseExactly('[1, 0.10, 9007199254740993]'); // [1, '0.10', '9007199254740993']
 */
export function parseExactly(json: string): unknown {
  let quoted = '';
  let copied = 0;
  for (let at = 0; at < json.length;) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) at = endOfString(json, at);
    else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      NUMBER.lastIndex = at;
      const token = NUMBER.exec(json)?.[0] ?? json.charAt(at);
      if (!isExact(token)) {
        quoted += `${json.slice(copied, at)}"${token}"`;
        copied = at + token.length;
      }
      at += token.length;
    } else at += 1;
  }
  return JSON.parse(quoted + json.slice(copied)) as unknown;
}

const isExact = (token: string): boolean =>
  /^-?\d*$/.test(token) && Number.isSafeInteger(Number(token));

/** The position after the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let escapes = 0;
    while (json[end - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
  return json.length;
}
