/** The trimmed values of a form. */
export function valuesOf(event: SubmitEvent): Record<string, string> {
  const entries = [...new FormData(event.currentTarget as HTMLFormElement)];
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value.trim()]] : [])),
  );
}
