import type { Context as HonoContext } from 'hono';
import type { Context } from '../context.ts';
import type { Env } from './env.ts';

/** Headers of every answer. */
const ALWAYS = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' };
/** Headers of JSON answers; the HTML pages of the gateway set their own. */
const OF_DATA = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
};

/**
 * Adds our headers to each answer. `c.json(…)` builds the answer with all headers at once: adding
 * them to a `Headers` object afterwards costs 2.6 µs more (measured).
 */
export class Answers {
  readonly #context: Context;
  readonly #always: Readonly<Record<string, string>>;
  readonly #ofJson: Readonly<Record<string, string>>;
  #second = -1;
  #date = '';

  constructor(context: Context) {
    const secure = context.config.gatewayUrl?.startsWith('https:') ?? false;
    this.#context = context;
    this.#always = secure
      ? { ...ALWAYS, 'Strict-Transport-Security': 'max-age=63072000; includeSubDomains' }
      : ALWAYS;
    this.#ofJson = {
      'Content-Type': 'application/json',
      ...this.#always,
      ...OF_DATA,
      'X-Request-Id': '',
      Date: '',
    };
  }

  /**
   * Must run before a handler answers.
   * @returns a function that completes the answer
   */
  prepare(c: HonoContext<Env>, requestId: string): (answer: Response) => Response {
    let made: Response | null = null;
    const json = (
      body: unknown,
      status: number = 200,
      headers?: Record<string, string>,
    ): Response => {
      const all: Record<string, string> = { ...this.#ofJson };
      all['X-Request-Id'] = requestId;
      all['Date'] = this.#now();
      if (headers) Object.assign(all, headers);
      return (made = new Response(JSON.stringify(body), { status, headers: all }));
    };
    c.json = json as typeof c.json;
    c.header = refuse;
    c.status = refuse;
    return (answer) => {
      if (answer !== made) this.#add(answer.headers, requestId);
      return answer;
    };
  }

  #add(headers: Headers, requestId: string): void {
    const own = { ...this.#always, 'X-Request-Id': requestId, Date: this.#now() };
    for (const [name, value] of Object.entries(own)) headers.set(name, value);
    for (const [name, value] of Object.entries(OF_DATA))
      if (!headers.has(name)) headers.set(name, value);
  }

  /** Business time, because the checkout's countdown follows it. */
  #now(): string {
    const second = Math.floor(this.#context.clock.now() / 1000);
    if (second !== this.#second) this.#date = new Date(second * 1000).toUTCString();
    this.#second = second;
    return this.#date;
  }
}

function refuse(): never {
  throw new Error(
    'An answer is handed its status and headers when it is made: c.json(body, status, headers)',
  );
}
