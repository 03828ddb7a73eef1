import type { HostAbilities, Sink } from '../options.ts';

/**
 * A heartbeat keeps proxies from closing the connection, and detects clients that have
 * disconnected.
 */
export const HEARTBEAT = ': here\n\n';

/** The ten bytes that begin a gzip stream (RFC 1952): deflate, no name, no time. */
const GZIP_HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);

/** Compressed bytes of a change, shared by viewers whose streams were equal so far. */
export type SharedBytes = Map<string, Uint8Array<ArrayBuffer>>;

/**
 * Writes one event stream, as text or compressed. A change refers to the change before it, so it
 * takes few bytes. A stream keeps only the text of the last change, which the viewers of a checkout
 * share; a compressor for each stream would multiply its memory.
 */
export class StreamWriter {
  readonly #sink: Sink;
  readonly #deflate: HostAbilities['deflate'];
  /**
   * The last change, and the heartbeats since then: the end of all that the client has read. Empty
   * after a first view, whose text is that of one viewer.
   */
  #last = '';
  #beats = 0;

  /** @param deflate for a client that accepts gzip; undefined for plain text */
  constructor(sink: Sink, deflate: HostAbilities['deflate']) {
    this.#sink = sink;
    this.#deflate = deflate;
  }

  /** Begins the stream with its first view. Returns false when the client has disconnected. */
  begin(text: string): boolean {
    if (!this.#deflate) return this.#sink.write(text);
    return this.#sink.write(GZIP_HEADER) && this.#sink.write(this.#deflate(text, ''));
  }

  change(text: string, shared: SharedBytes): boolean {
    const before = this.#before();
    this.#last = text;
    this.#beats = 0;
    return this.#sink.write(this.#deflate ? compressed(text, before, this.#deflate, shared) : text);
  }

  heartbeat(): boolean {
    const bytes = this.#deflate?.(HEARTBEAT, this.#before()) ?? HEARTBEAT;
    if (this.#last !== '') this.#beats += 1;
    return this.#sink.write(bytes);
  }

  end(): void {
    this.#sink.end();
  }

  #before(): string {
    return this.#last + HEARTBEAT.repeat(this.#beats);
  }
}

function compressed(
  text: string,
  before: string,
  deflate: NonNullable<HostAbilities['deflate']>,
  shared: SharedBytes,
): Uint8Array<ArrayBuffer> {
  const key = `${before}\n${text}`;
  const known = shared.get(key);
  if (known) return known;
  const bytes = deflate(text, before);
  shared.set(key, bytes);
  return bytes;
}
