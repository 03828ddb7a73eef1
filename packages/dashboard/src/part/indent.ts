/**
 * Indents JSON text without parsing it: only white space changes, so numbers of any length stay
 * exact. Text that is not JSON is returned unchanged.
 */
export function indent(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let depth = 0;
  const line = (change: number): string => `\n${'  '.repeat((depth += change))}`;
  const parts = text.match(/"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s"[\]{}:,]+/g) ?? [];
  return parts
    .map((part, index) => {
      const before = parts[index - 1] ?? '';
      if (part === '{' || part === '[')
        return '}]'.includes(parts[index + 1] ?? '') ? part : part + line(1);
      if (part === '}' || part === ']')
        return '{['.includes(before) && before !== '' ? part : line(-1) + part;
      if (part === ',') return part + line(0);
      return part === ':' ? ': ' : part;
    })
    .join('');
}
