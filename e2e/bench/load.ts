import { connect } from 'node:net';

/**
 * Sends the same request over keep-alive connections until `total` answers came back; throws on any
 * status but 200.
 */
export async function load(
  port: number,
  path: string,
  { connections = 32, total = 20_000 } = {},
): Promise<void> {
  const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  let left = total;
  const one = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      let buffer = '';
      const next = (): void => {
        if (left <= 0) {
          socket.destroy();
          resolve();
          return;
        }
        left -= 1;
        socket.write(request);
      };
      socket.setEncoding('latin1');
      socket.on('connect', next);
      socket.on('error', reject);
      socket.on('data', (data: string) => {
        buffer += data;
        const head = buffer.indexOf('\r\n\r\n');
        if (head < 0) return;
        const length = Number(/content-length: (\d+)/i.exec(buffer)?.[1] ?? Number.NaN);
        if (Number.isNaN(length))
          return reject(new Error(`no content-length: ${buffer.slice(0, 200)}`));
        if (buffer.length < head + 4 + length) return;
        if (!buffer.startsWith('HTTP/1.1 200')) return reject(new Error(buffer.slice(0, 200)));
        buffer = '';
        next();
      });
    });
  await Promise.all(Array.from({ length: connections }, one));
}

/** Sends one request; returns the bytes on the wire, headers included. */
export function bytesOnWire(
  port: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ bytes: number; head: string; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const parts: Buffer[] = [];
    const lines = Object.entries({
      Host: 'localhost',
      Connection: 'close',
      'Accept-Encoding': 'br',
      ...headers,
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.on('connect', () => socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`));
    socket.on('data', (data) => parts.push(data));
    socket.on('error', reject);
    socket.on('close', () => {
      const all = Buffer.concat(parts);
      const end = all.indexOf('\r\n\r\n') + 4;
      resolve({
        bytes: all.length,
        head: all.subarray(0, end).toString('latin1'),
        body: all.subarray(end),
      });
    });
  });
}
