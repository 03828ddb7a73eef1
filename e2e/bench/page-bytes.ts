import { bytesOfHello, withImports } from './element-bytes.ts';
import type { Line } from './line.ts';
import { bytesOnWire } from './load.ts';
import { Stack } from '../support/stack.ts';

/**
 * Bytes on the wire of the hosted page: the first response, and everything until it is interactive.
 */
export async function bytesOfPage(): Promise<Line[]> {
  const stack = await Stack.start({ NODE_ENV: 'production' }, ['gateway', 'bff']);
  try {
    const { sizes, html } = await firstResponses(stack);
    const largest = Math.max(...Object.values(sizes));
    const { files, scripts } = await scriptsOf(stack, html);
    const hello = await bytesOfHello({ hydrates: true });
    return [
      {
        what: 'hosted page, first response on the wire',
        value: largest,
        unit: 'B',
        digits: 0,
        atMost: 9000,
        detail: Object.entries(sizes)
          .map(([name, size]) => `${name} ${size}`)
          .join(', '),
      },
      {
        // Amount, address, QR and forms work before any script, so the fair baseline is a
        // hello-world that hydrates.
        what: 'hosted page, scripts until interactive, against a hydrating one',
        value: scripts / hello,
        unit: '×',
        atMost: 1.9,
        detail: `${scripts} B (${files.join(', ')}); with the page ${scripts + largest} B in all`,
      },
    ];
  } finally {
    await stack.stop();
  }
}

/** The compressed size of each page, and the HTML of the longest. */
async function firstResponses(
  stack: Stack,
): Promise<{ sizes: Record<string, number>; html: string }> {
  const sizes: Record<string, number> = {};
  let html = '';
  for (const [stage, kind] of [
    ['choose', null],
    ['pay', 'BTC_LIGHTNING'],
    ['pay', 'BTC'],
    ['pay with lightning', 'BTC'],
    ['pay', 'XRP'],
  ] as const)
    for (const language of ['en', 'ar']) {
      const { id } = await stack.asShop('/checkouts', {
        order: {
          order_id: `bytes-${stage}-${kind ?? ''}`,
          amount: '18.50',
          currency: 'USD',
          description: 'Harbour mug',
        },
      });
      const with_lightning = stage === 'pay with lightning';
      if (kind) await stack.asShop(`/checkouts/${id}/payment`, { kind, with_lightning });
      const answer = await bytesOnWire(stack.publicPort, `/pay/${id}/`, {
        'Accept-Language': language,
      });
      if (!answer.head.startsWith('HTTP/1.1 200') || !/content-encoding: br/i.test(answer.head))
        throw new Error(answer.head);
      sizes[`${stage}${kind ? ` ${kind}` : ''} ${language}`] = answer.bytes;
      if (kind === 'BTC_LIGHTNING' && language === 'ar')
        html = await (
          await fetch(`${stack.publicUrl}/pay/${id}/`, {
            headers: { 'accept-language': language },
          })
        ).text();
    }
  return { sizes, html };
}

/** The page's scripts with their static imports, and their size on the wire. */
async function scriptsOf(
  stack: Stack,
  html: string,
): Promise<{ files: string[]; scripts: number }> {
  const named = [...html.matchAll(/\/elements\/[^/"]+\/([\w.-]+\.mjs)/g)].map(
    ([, file]) => file ?? '',
  );
  const files = [...new Set([...new Set(named)].flatMap((file) => [...withImports(file)]))];
  const version = /\/elements\/([^/"]+)\//.exec(html)?.[1] ?? '';
  let scripts = 0;
  for (const file of files) {
    const answer = await bytesOnWire(stack.publicPort, `/elements/${version}/${file}`);
    if (!answer.head.startsWith('HTTP/1.1 200')) throw new Error(`${file}: ${answer.head}`);
    scripts += answer.body.length;
  }
  return { files, scripts };
}
