import { Hono } from 'hono';
import { z } from 'zod';

const Command = z.object({
  action: z.enum(['pay', 'mine', 'replace', 'drop', 'fail', 'reorg', 'clock']),
  body: z.record(z.string(), z.unknown()),
});

/**
 * The "test wallet" panel reaches the sandbox through the shop's server: sandbox control is
 * loopback only and refuses browsers.
 */
export function walletRoutes(gatewayUrl: string): Hono {
  return new Hono().post('/', async (c) => {
    const command = Command.safeParse(await c.req.json().catch(() => null));
    if (!command.success) return c.json({ error: 'unknown wallet action' }, 400);
    const { action, body } = command.data;
    const answer = await fetch(`${gatewayUrl}/sandbox/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    return new Response(await answer.text(), {
      status: answer.status,
      headers: { 'content-type': 'application/json' },
    });
  });
}
