import { type AddressInfo, createServer, type Server } from 'node:net';
import { z } from 'zod';

const aPort = 'must be a whole number from 0 to 65535, where 0 takes a free one';
const metricsPort = 'must be a whole number from 0 to 65535, where 0 has no figures';
const port = (must: string) => z.coerce.number(must).int(must).min(0, must).max(65_535, must);

/**
 * The settings of `npm start` that are ports. Both servers serve metrics: the gateway's port is the
 * next one.
 */
export const PORTS = z
  .object({
    PORT: port(aPort).default(8080),
    GATEWAY_PORT: port(aPort).default(8081),
    SHOP_PORT: port(aPort).default(8082),
    METRICS_PORT: port(metricsPort).default(0),
    GATEWAY_METRICS_PORT: port(metricsPort).optional(),
  })
  .transform(({ GATEWAY_METRICS_PORT, ...ports }) => ({
    ...ports,
    GATEWAY_METRICS_PORT:
      GATEWAY_METRICS_PORT ?? (ports.METRICS_PORT === 0 ? 0 : ports.METRICS_PORT + 1),
  }));
export type Ports = z.output<typeof PORTS>;

const LOOPBACK = '127.0.0.1';

/**
 * Finds out whether every port can be had, before the first server starts, and gives free ones for
 * 0: addresses name them before anything listens. All are held until the last is tried, so that no
 * two are the same.
 * @param host where BFF and gateway listen
 * @throws Error with a sentence for each that is taken, which names its setting
 */
export async function tryPorts(ports: Ports, host = LOOPBACK): Promise<Ports> {
  const held: Server[] = [];
  const found = { ...ports };
  const mistakes: string[] = [];
  for (const name of Object.keys(ports) as (keyof Ports)[]) {
    const isOff = name.endsWith('METRICS_PORT') && ports[name] === 0;
    if (isOff) continue;
    const at = name === 'PORT' || name === 'GATEWAY_PORT' ? host : LOOPBACK;
    try {
      const server = await hold(ports[name], at);
      held.push(server);
      found[name] = (server.address() as AddressInfo).port;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE')
        mistakes.push(`The port ${ports[name]} on ${at} is taken; set another ${name}.`);
      else if (code === 'EACCES')
        mistakes.push(`This user may not listen on port ${ports[name]}; set another ${name}.`);
      // Other errors are reported by the server itself.
    }
  }
  await Promise.all(held.map((server) => new Promise((done) => server.close(done))));
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'));
  return found;
}

function hold(number: number, host: string): Promise<Server> {
  return new Promise((done, failed) => {
    const server = createServer().once('error', failed);
    server.listen(number, host, () => done(server));
  });
}
