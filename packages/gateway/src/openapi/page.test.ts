import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
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

  it('loads nothing, and allows its own style and script by hash', () => {
    const inside = (tag: string): string =>
      new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`).exec(html)?.[1] ?? '';
    for (const tag of ['style', 'script']) {
      const hash = createHash('sha256').update(inside(tag)).digest('base64');
      expect(policy).toContain(`${tag}-src 'sha256-${hash}';`);
      expect(html.match(new RegExp(`<${tag}`, 'g'))).toHaveLength(1);
    }
    expect(policy).toContain("default-src 'none'");
    expect(html.replace(inside('script'), '')).not.toMatch(
      /<img|<link|<iframe| style=| on\w+=|src=/i,
    );
  });

  it('closes every element', () => {
    const open: string[] = [];
    for (const [, slash, name = ''] of html
      .replace(/<(style|script)[\s\S]*?<\/\1>/g, '')
      .matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*>/g)) {
      if (name === 'meta' || name === 'input') continue;
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

  it('shows each request in TypeScript, too', () => {
    expect(html).toContain('createClient({ baseUrl, key:');
    expect(html).toContain('const result = await client.invoices.create({\n  profile_id: &#39;');
    expect(html).toContain('await client.profiles.delete(&#39;&lt;ID&gt;&#39;);');
  });

  it('lists the errors of every request once, and others at their endpoint', () => {
    expect(html.match(/<code>InvalidNonce<\/code>: /g)).toHaveLength(1);
    expect(html.match(/<code>InvalidAddress<\/code>: /g)!.length).toBeGreaterThan(1);
  });

  it('marks extensions in a word, without numbers and headings of another text', () => {
    expect(html).toContain('<code>/v1/refunds/</code> <span class="soft">Extension</span>');
    expect(html).not.toMatch(/§|>ours<|>Invoice operations</);
  });

  it('stays below 45 kB when compressed', () => {
    expect(gzipSync(html).length).toBeLessThan(45_000);
  });
});
