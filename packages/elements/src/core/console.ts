/** Each message is logged once, however many elements the page has. */
const logged = new Set<string>();

/** Logs a message for the shop's developer, once. */
export function logOnce(level: 'error' | 'warn', text: string): void {
  if (logged.has(text)) return;
  logged.add(text);
  console[level](`crypto-checkout: ${text}`);
}
