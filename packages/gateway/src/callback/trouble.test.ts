import { describe, expect, it } from 'vitest';
import { createOutbound, ForbiddenDestinationError } from '../outbound/outbound.ts';
import { sendCallback } from './send.ts';
import { describeFailure } from './trouble.ts';

const failed = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code });

describe('reasons of a missing answer are in plain words', () => {
  it.each([
    [
      failed('ENOTFOUND', 'getaddrinfo ENOTFOUND shop.invalid'),
      'The name of the host does not resolve (getaddrinfo ENOTFOUND shop.invalid)',
    ],
    [
      new TypeError('fetch failed', {
        cause: failed('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1'),
      }),
      'Nothing listens at the address (fetch failed: connect ECONNREFUSED 127.0.0.1:1)',
    ],
    [
      new AggregateError([failed('ECONNREFUSED', 'connect ECONNREFUSED ::1:1')], 'several'),
      'Nothing listens at the address (several)',
    ],
    [new Error('No answer within 10 s'), 'No answer within 10 s'],
    [
      new ForbiddenDestinationError(
        'shop.internal resolves to 10.0.0.5, which is not public',
        '10.0.0.5/32:443',
      ),
      'shop.internal resolves to 10.0.0.5, which is not public; 10.0.0.5/32:443 in OUTBOUND_ALLOW of the service opens it',
    ],
    ['\0', '\uFFFD'],
    [new Error('x'.repeat(900)), 'x'.repeat(500)],
  ])('%s', (error, sentence) => {
    expect(describeFailure(error)).toBe(sentence);
  });

  it('also over a real connection', async () => {
    const outbound = createOutbound({
      allow: [],
      allowHttp: true,
      resolve: (_, done) => done(null, [{ address: '10.0.0.5', family: 4 }]),
    });
    const at = (url: string) =>
      sendCallback(
        { id: 'x', url, body: '{}', token: 'token' },
        { outbound, now: 0, timeoutMs: 5_000 },
      );
    expect((await at('http://shop.internal/')).error).toMatch(
      /^shop\.internal resolves to 10\.0\.0\.5, which is not public; 10\.0\.0\.5\/32:80 in OUTBOUND_ALLOW/,
    );
    const both = createOutbound({
      allow: [],
      allowHttp: true,
      resolve: (_, done) =>
        done(null, [
          { address: '::1', family: 6 },
          { address: '127.0.0.1', family: 4 },
        ]),
    });
    const local = { id: 'x', url: 'http://localhost:8080/', body: '{}', token: 'token' };
    expect((await sendCallback(local, { outbound: both, now: 0, timeoutMs: 5_000 })).error).toBe(
      'localhost resolves to ::1 and 127.0.0.1, which is not public; ::1/128:8080 127.0.0.1/32:8080 in OUTBOUND_ALLOW of the service opens it',
    );
    expect((await at('http://127.0.0.1:1/')).error).toMatch(
      /127\.0\.0\.1 is not public; 127\.0\.0\.1\/32:1 in OUTBOUND_ALLOW/,
    );
  });
});
