import { describe, expect, it } from 'vitest';
import { chooseReader } from './reader.ts';

const CHROME =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
const SAFARI =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15';

describe('one link has three readers', () => {
  it.each<[reader: string, accept: string | null, userAgent: string | null]>([
    ['html', CHROME, SAFARI],
    ['html', '*/*', SAFARI],
    ['html', null, null],
    ['html', '', 'WhatsApp/2.23'],
    ['html', '*/*', 'node'],
    ['html', 'text/html', 'curl/8.5.0'],
    ['json', 'application/json', SAFARI],
    ['json', 'application/json', 'curl/8.5.0'],
    ['json', 'application/json, text/plain, */*', 'axios/1.7.0'],
    ['json', 'text/html;q=0.5, application/json', null],
    ['html', 'text/html, application/json;q=0.9', null],
    ['html', 'application/json;q=0, text/html', null],
    ['text', 'text/plain', SAFARI],
    ['text', 'text/plain, text/html;q=0.8', null],
    ['text', '*/*', 'curl/8.5.0'],
    ['text', '*/*', 'Wget/1.21.3'],
    ['text', null, 'HTTPie/3.2.2'],
    ['html', '*/*', 'Mozilla/5.0 curl/8'],
    ['html', ';;;,,q=,'.repeat(50), 'x'.repeat(9000)],
  ])('%s for Accept: %s and User-Agent: %s', (reader, accept, userAgent) => {
    expect(chooseReader(accept, userAgent)).toBe(reader);
  });
});
