import type { Context } from '../context.ts';

/** What the command line needs from outside: a context when one is asked for, and where its words go. */
export interface Io {
  /** Opens the database and the chains, beside a service that may be running. */
  open(): Promise<{ context: Context; close(): Promise<void> }>;
  /** A line of the result. */
  out(line: string): void;
  /** A line about the work, for people. */
  note(line: string): void;
  /** Shows how far long work is, in place of what it showed before; null ends it. */
  progress(line: string | null): void;
  /** The addresses of a name; none where nobody knows it. */
  resolve(host: string): Promise<readonly string[]>;
}

/** Whether the result is for a program: the option `--json` of every command. */
export interface Shape {
  json?: boolean | undefined;
}

/** A mistake in what was typed; its message says what is allowed. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Opens a context for one piece of work, and closes it whatever became of it. */
export async function withContext<T>(io: Io, work: (context: Context) => Promise<T>): Promise<T> {
  const { context, close } = await io.open();
  try {
    return await work(context);
  } finally {
    await close();
  }
}
