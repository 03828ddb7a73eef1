import { type AddressInfo, createServer } from 'node:net';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { PORTS, tryPorts } from './ports.ts';

const NONE = { PORT: '0', GATEWAY_PORT: '0', SHOP_PORT: '0' };

it('the gateway has its figures beside those of the BFF, unless a setting names another port', () => {
  const { METRICS_PORT, GATEWAY_METRICS_PORT } = PORTS.parse({ METRICS_PORT: '9100' });
  expect([METRICS_PORT, GATEWAY_METRICS_PORT]).toEqual([9100, 9101]);
  expect(
    PORTS.parse({ METRICS_PORT: '9100', GATEWAY_METRICS_PORT: '0' }).GATEWAY_METRICS_PORT,
  ).toBe(0);
  expect(PORTS.parse({ GATEWAY_METRICS_PORT: '9200' })).toMatchObject({
    METRICS_PORT: 0,
    GATEWAY_METRICS_PORT: 9200,
  });
  expect(PORTS.parse({})).toEqual({
    PORT: 8080,
    GATEWAY_PORT: 8081,
    SHOP_PORT: 8082,
    METRICS_PORT: 0,
    GATEWAY_METRICS_PORT: 0,
  });
});

it('0 takes a free port, and no figures', async () => {
  const ports = await tryPorts(PORTS.parse(NONE));
  expect(new Set([ports.PORT, ports.GATEWAY_PORT, ports.SHOP_PORT]).size).toBe(3);
  expect([ports.PORT > 0, ports.METRICS_PORT, ports.GATEWAY_METRICS_PORT]).toEqual([true, 0, 0]);
});

it('each port that is taken, also by another setting, is named with its own setting', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const wanted = PORTS.parse({
      ...NONE,
      METRICS_PORT: String(port),
      GATEWAY_METRICS_PORT: String(port),
      SHOP_PORT: String(port),
    });
    await expect(tryPorts(wanted)).rejects.toThrow(
      ['SHOP_PORT', 'METRICS_PORT', 'GATEWAY_METRICS_PORT']
        .map((name) => `The port ${port} on 127.0.0.1 is taken; set another ${name}.`)
        .join('\n'),
    );
  } finally {
    server.close();
  }
  const same = PORTS.parse({
    ...NONE,
    PORT: String(port),
    METRICS_PORT: String(port),
    GATEWAY_METRICS_PORT: '0',
  });
  await expect(tryPorts(same)).rejects.toThrow(
    `The port ${port} on 127.0.0.1 is taken; set another METRICS_PORT.`,
  );
});
