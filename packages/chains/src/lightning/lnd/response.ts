import type { IncomingMessage } from 'node:http';
import { UnavailableError } from '../../error.ts';
import { failureOf, LndError } from './failure.ts';

const MAX_BYTES = 16 * 1024 * 1024;

export const notWithin = (timeoutMs: number): string =>
  `The node does not answer within ${timeoutMs / 1_000} seconds`;

export interface LndStream {
  close(): void;
}

/** @throws UnavailableError when it does not arrive whole */
export function readText(response: IncomingMessage, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(
      () => response.destroy(new UnavailableError(notWithin(timeoutMs))),
      timeoutMs,
    );
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > MAX_BYTES)
        response.destroy(new UnavailableError(`The answer of the node exceeds ${MAX_BYTES} bytes`));
    });
    response.on('error', (error) => reject(failureOf(error)));
    response.on('close', () => {
      clearTimeout(timer);
      if (response.complete) resolve(Buffer.concat(chunks).toString('utf8'));
      else reject(new UnavailableError('The connection to the node broke'));
    });
  });
}

interface LineHandler {
  /** May throw: the stream ends with that error. */
  onLine(line: string): void;
  onEnd(error: Error | null): void;
}

/** Reads a response line by line, as it arrives. */
export function readLines(response: IncomingMessage, { onLine, onEnd }: LineHandler): LndStream {
  let rest = '';
  let failure: Error | null = null;
  let isClosed = false;
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    if (isClosed) return;
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    try {
      if (rest.length > MAX_BYTES) throw new UnavailableError('A line of the node is too long');
      for (const line of lines) if (!isClosed && line.trim() !== '') onLine(line);
    } catch (error) {
      response.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  });
  response.on('error', (error) => {
    failure ??= error instanceof LndError ? error : failureOf(error);
  });
  response.on('close', () => {
    if (isClosed) return;
    isClosed = true;
    const isBroken = failure === null && !response.complete;
    onEnd(isBroken ? new UnavailableError('The connection to the node broke') : failure);
  });
  return {
    close() {
      isClosed = true;
      response.destroy();
    },
  };
}
