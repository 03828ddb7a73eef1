import type { Config } from '../config.ts';
import type { Context } from '../context.ts';

/** The command line's environment: a context on demand, and its outputs. */
export interface Io {
  /** Opens the database and the chains, beside a service that may be running. */
  open(): Promise<{ context: Context; close(): Promise<void> }>;
  /**
   * The settings, without opening anything.
   * @throws ConfigError with one sentence for each mistake
   */
  config(): Config;
  /** Reads the standard input to its end. */
  input(): Buffer;
  /** Prints a line of the result. */
  out(line: string): void;
  /** Whether a person reads the result in a terminal, where long cells are cut. Default false. */
  isTerminal?: boolean;
  /** Prints a line about the work, for people. */
  note(line: string): void;
  /** Replaces the progress line of long work; null removes it. */
  progress(line: string | null): void;
  /** The addresses of a name; empty when it does not resolve. */
  resolve(host: string): Promise<readonly string[]>;
}

/** Whether the result is JSON: the option `--json` of every command. */
export interface Shape {
  json?: boolean | undefined;
}

/** A mistake in the command; its message says what is allowed. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Opens a context for one piece of work, and always closes it. */
export async function withContext<T>(io: Io, work: (context: Context) => Promise<T>): Promise<T> {
  const { context, close } = await io.open();
  try {
    return await work(context);
  } finally {
    await close();
  }
}
