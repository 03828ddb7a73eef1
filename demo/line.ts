/** Log events that a shop's developer can act on. */
const ADVICE =
  /_ORIGINS|success_url rejected|SHOP_WEBHOOK_URL|members of an order ignored|is unknown; is|has no effect without/;
const ERROR = 50;
/** Fields of every log line that add nothing here. */
const USUAL = new Set(['level', 'time', 'name', 'msg', 'pid', 'hostname', 'event', 'error', 'err']);

/** A server's log line as `npm start` prints it; null for lines that do not concern a developer. */
export function lineForPeople(server: string, line: string): string | null {
  const entry = parse(line);
  const { level, msg } = entry;
  if (typeof msg !== 'string' || typeof level !== 'number' || (level < ERROR && !ADVICE.test(msg)))
    return null;
  const isNews = (name: string, value: unknown): boolean =>
    !USUAL.has(name) && value !== null && !(typeof value === 'string' && msg.includes(value));
  const about = Object.entries(entry).flatMap(([name, value]) =>
    isNews(name, value) ? [`${name} ${shown(value)}`] : [],
  );
  const { stack } = (entry['error'] ?? entry['err'] ?? {}) as { stack?: string };
  return `${server}: ${msg}${about.length > 0 ? ` (${about.join(', ')})` : ''}${stack ? `\n${stack}` : ''}`;
}

function parse(line: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(line)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

const shown = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
