import { constants, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { nodeAbilities } from '../host/abilities.ts';
import type { HostAbilities } from '../options.ts';
import { HEARTBEAT, StreamWriter } from './stream-writer.ts';

/** A writer, and what its client has received so far. */
function written(deflate: HostAbilities['deflate'] = nodeAbilities.deflate) {
  const parts: (string | Uint8Array)[] = [];
  const write = (data: string | Uint8Array): boolean => {
    parts.push(data);
    return true;
  };
  const writer = new StreamWriter({ write, end: () => undefined }, deflate);
  return {
    writer,
    parts,
    /** As a browser reads it: all that has arrived, without the end of the gzip stream. */
    text: (): string =>
      gunzipSync(Buffer.concat(parts.map((part) => Buffer.from(part))), {
        finishFlush: constants.Z_SYNC_FLUSH,
      }).toString(),
  };
}

/** A view whose texts do not repeat, and one of its members. */
const event = (stage: string): string =>
  `data: ${JSON.stringify({ words: Array.from({ length: 400 }, (_, i) => (i * 7919) % 10_007), stage })}\n\n`;

describe('a compressed event stream', () => {
  it('is readable after each event, also with heartbeats between', () => {
    const { writer, text } = written();
    let sent = event('choose');
    expect(writer.begin(sent)).toBe(true);
    expect(text()).toBe(sent);
    for (const stage of ['pay', 'seen', 'confirmed', 'paid']) {
      writer.change(event(stage), new Map());
      sent += event(stage);
      expect(text()).toBe(sent);
      for (let beats = 0; beats < stage.length - 2; beats += 1) {
        writer.heartbeat();
        sent += HEARTBEAT;
        expect(text()).toBe(sent);
      }
    }
  });

  it('takes few bytes for an update, and reads events of more than its window', () => {
    const { writer, parts, text } = written();
    writer.begin('retry: 3000\n\n');
    writer.change(event('pay'), new Map());
    writer.change(event('seen'), new Map());
    const [first, second] = parts.slice(2, 4).map(({ length }) => length);
    expect(first).toBeGreaterThan(600);
    expect(second).toBeLessThan(60);
    const long = `data: ${Array.from({ length: 12_000 }, (_, i) => (i * 7919) % 100_003).join()}\n\n`;
    writer.change(long, new Map());
    writer.change(`${long}data: end\n\n`, new Map());
    expect(text().endsWith(`${long}${long}data: end\n\n`)).toBe(true);
  });

  it('shares the bytes of viewers that have read the same, and of no others', () => {
    let calls = 0;
    const deflate = (one: string, before: string) => {
      calls += 1;
      return nodeAbilities.deflate(one, before);
    };
    const viewers = [written(deflate), written(deflate), written(deflate)];
    for (const { writer } of viewers) writer.begin('retry: 3000\n\n');
    for (const { writer } of viewers) writer.change(event('choose'), new Map());
    viewers[2]!.writer.heartbeat();
    const before = calls;
    const shared = new Map<string, Uint8Array<ArrayBuffer>>();
    for (const { writer } of viewers) writer.change(event('pay'), shared);
    expect(calls - before).toBe(2);
    for (const { text } of viewers) expect(text().endsWith(event('pay'))).toBe(true);
  });

  it('is plain text for a client without gzip', () => {
    const parts: (string | Uint8Array)[] = [];
    const write = (data: string | Uint8Array): boolean => parts.push(data) > 0;
    const writer = new StreamWriter({ write, end: () => undefined }, undefined);
    writer.begin('retry: 3000\n\n');
    writer.change('data: 1\n\n', new Map());
    writer.heartbeat();
    expect(parts).toEqual(['retry: 3000\n\n', 'data: 1\n\n', HEARTBEAT]);
  });
});
