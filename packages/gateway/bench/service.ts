import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

interface Options {
  dataDir: string;
  profileId: string;
  keys: { apiKey: string; secret: string }[];
}

// Runs the built service in its own process, with eight clients that each wait for a response.
let options: Options;
let port = 0;
let gateway: ChildProcess;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
let nonce = BigInt(Date.now()) * 1_000_000n;

function open(newOptions: Options): Promise<void> {
  options = newOptions;
  const env = {
    ...process.env,
    DATA_DIR: newOptions.dataDir,
    GATEWAY_PORT: '0',
    SANDBOX_BLOCK_SECONDS: '0',
    RATE_LIMIT_RPS: '100000',
    RATE_LIMIT_BURST: '100000',
    NODE_ENV: 'production',
  };
  gateway = spawn(
    process.execPath,
    [fileURLToPath(new URL('../../../dist/server/gateway.mjs', import.meta.url))],
    {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  return new Promise((resolve, reject) => {
    gateway.once('exit', (code) => reject(new Error(`The service exited with code ${code}`)));
    createInterface({ input: gateway.stdout! }).on('line', (line) => {
      if (!line.includes('"listening"')) return;
      port = (JSON.parse(line) as { port: number }).port;
      resolve();
    });
  });
}
process.on('SIGTERM', () => {
  gateway.kill('SIGKILL');
  process.exit(0);
});

function create({ apiKey, secret }: { apiKey: string; secret: string }): Promise<void> {
  const payload = Buffer.from(
    JSON.stringify({
      request: '/v1/invoices/',
      nonce: String((nonce += 1n)),
      profile_id: options.profileId,
      amount: '18.50',
      currency: 'USD',
      kind: 'BTC',
    }),
  ).toString('base64');
  const headers = {
    'X-CC-KEY': apiKey,
    'X-CC-PAYLOAD': payload,
    'X-CC-SIGNATURE': createHmac('sha256', secret).update(payload).digest('hex'),
  };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { port, host: '127.0.0.1', path: '/v1/invoices/', method: 'POST', headers, agent },
      (answer) => {
        answer.resume();
        answer.on('end', () =>
          answer.statusCode === 201
            ? resolve()
            : reject(new Error(`The service responded with ${answer.statusCode}`)),
        );
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

process.on('message', (message: Options | { each: number }) => {
  const run = async (): Promise<object> => {
    if ('dataDir' in message) {
      await open(message);
      return { ready: true };
    }
    // Both processes use the same keys: each round starts above the other's last nonce.
    nonce = BigInt(Date.now()) * 1_000_000n;
    const began = performance.now();
    await Promise.all(
      options.keys.map(async (key) => {
        for (let done = 0; done < message.each; done += 1) await create(key);
      }),
    );
    return {
      perSecond: (message.each * options.keys.length) / ((performance.now() - began) / 1000),
    };
  };
  run().then(
    (answer) => process.send?.(answer),
    (error: unknown) => {
      console.error(error);
      gateway.kill('SIGKILL');
      process.exit(1);
    },
  );
});
