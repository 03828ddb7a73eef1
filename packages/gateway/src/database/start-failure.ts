/** One sentence for an embedded PostgreSQL that does not start. @param log what it printed */
export function startFailure(log: string): string {
  const what = 'The embedded PostgreSQL did not start';
  const lines = log.trim().split('\n');
  const other = /another postmaster \(PID (\d+)\)/.exec(lines.slice(-3).join('\n'))?.[1];
  return other === undefined
    ? `${what} (${lines.at(-1) || 'no log'})`
    : `${what}: process ${other} still serves a folder that was deleted. It ends within a minute; wait, or end it by hand`;
}
