import { createHash, randomUUID } from 'node:crypto';
import pg from 'pg';

interface Options {
  server: { host: string; port: number; user: string; database: string };
  recorded: { text: string; values: unknown[] }[];
  keys: { id: string; apiKey: string }[];
}

// Sends only the recorded SQL: eight connections, prepared statements, fresh ids.
let options: Options;
let clients: pg.Client[] = [];
let nonce = BigInt(Date.now()) * 1_000_000n;

async function open(newOptions: Options): Promise<void> {
  options = newOptions;
  clients = await Promise.all(
    newOptions.keys.map(async () => {
      const client = new pg.Client(newOptions.server);
      await client.connect();
      return client;
    }),
  );
}

async function create(client: pg.Client, key: { id: string; apiKey: string }): Promise<void> {
  const id = randomUUID();
  const fresh: Record<string, (value: unknown) => unknown> = {
    id: () => id,
    nonce: () => String((nonce += 1n)),
    keyId: () => key.id,
    apiKey: () => key.apiKey,
    watchKeys: (value) => (value as string[]).map((watchKey) => `${watchKey}:${id}`),
  };
  for (const { text, values } of options.recorded) {
    const filled = values.map((value) =>
      value && typeof value === 'object' && 'fresh' in value
        ? fresh[(value as { fresh: string }).fresh]?.((value as { value?: unknown }).value)
        : value,
    );
    await client.query({
      name: createHash('sha1').update(text).digest('base64url').slice(0, 20),
      text,
      values: filled,
    });
  }
}

process.on('message', (message: Options | { each: number }) => {
  const run = async (): Promise<object> => {
    if ('recorded' in message) {
      await open(message);
      return { ready: true };
    }
    // Both processes use the same keys: each round starts above the other's last nonce.
    nonce = BigInt(Date.now()) * 1_000_000n;
    const began = performance.now();
    await Promise.all(
      clients.map(async (client, at) => {
        for (let done = 0; done < message.each; done += 1) await create(client, options.keys[at]!);
      }),
    );
    return { perSecond: (message.each * clients.length) / ((performance.now() - began) / 1000) };
  };
  run().then(
    (answer) => process.send?.(answer),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
