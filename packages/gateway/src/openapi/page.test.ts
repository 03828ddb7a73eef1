import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { createApp } from '../app.ts';
import { testClock } from '../../test/support/context.ts';
import type { OpenApi } from './document.ts';

let html: string;
let policy: string;
let document: OpenApi;

beforeAll(async () => {
  const config = loadConfig({ SECRETS_KEY: '00'.repeat(32), GATEWAY_URL: 'https://pay.example' });
  const app = createApp({
    config,
    chains: new Map(),
    clock: testClock(),
    ids: { uuid: () => 'id' },
  } as unknown as Context);
  const answer = await app.request('/reference/');
  html = await answer.text();
  policy = answer.headers.get('content-security-policy') ?? '';
  document = (await (await app.request('/openapi.json')).json()) as OpenApi;
});

describe('reference page', () => {
  it('has a unique anchor for every endpoint and every object', () => {
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const operations = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(ids).toEqual(expect.arrayContaining(operations));
    expect(ids).toEqual(
      expect.arrayContaining(
        Object.keys(document.components.schemas).map((name) => `object-${name}`),
      ),
    );
    for (const [, target] of html.matchAll(/ href="#([^"]+)"/g)) expect(ids).toContain(target);
  });

  it('has no script, loads nothing, and allows its style by hash', () => {
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? [];
    expect(policy).toContain(
      `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    );
    expect(policy).toContain("default-src 'none'");
    expect(html).not.toMatch(/<script|<img|<link|<iframe| style=| on\w+=/i);
  });

  it('closes every element', () => {
    const open: string[] = [];
    for (const [, slash, name = ''] of html
      .replace(/<style>[\s\S]*?<\/style>/, '')
      .matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g)) {
      if (name === 'meta') continue;
      if (slash === '') open.push(name);
      else expect(open.pop()).toBe(name);
    }
    expect(open).toEqual([]);
  });

  it('shows the URL of the service and a shell command for each request', () => {
    expect(html).toContain('URL=https://pay.example');
    expect(html).toContain('cc POST /v1/invoices/ &#39;{&quot;profile_id&quot;:');
    expect(html).toContain('cc GET &#39;/v1/invoices/&lt;ID&gt;/&#39;');
    expect(html.match(/<code>(?:cc|curl) /g)?.length).toBe(
      Object.values(document.paths).flatMap((methods) => Object.keys(methods)).length,
    );
  });

  it('has no paragraph numbers', () => {
    // The payout routes cite one until they name their headings.
    expect(html).not.toContain('§');
  });
});
