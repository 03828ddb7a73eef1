import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { createFileStore } from './file.ts';
import { createMemoryStore } from './memory.ts';
import { createPostgresStore } from './postgres.ts';
import { type Store, StoreError } from './store.ts';

const folders: string[] = [];
const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'bff-store-'));
  folders.push(folder);
  return folder;
};
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const databaseUrl = process.env['DATABASE_URL'];
if (!databaseUrl)
  console.warn(
    'DATABASE_URL is not set: the PostgreSQL store of the BFF is NOT tested in this run.',
  );

/**
 * Each creates two handles of one store: two processes for a shared store, otherwise the same one.
 */
const STORES: Record<string, () => Promise<[Store, Store]>> = {
  memory: async () => {
    const store = createMemoryStore();
    return [store, store];
  },
  file: async () => {
    const store = createFileStore(await newFolder());
    return [store, store];
  },
  ...(databaseUrl && {
    postgres: async (): Promise<[Store, Store]> => {
      const options = { databaseUrl, namespace: randomUUID() };
      return [await createPostgresStore(options), await createPostgresStore(options)];
    },
  }),
};

for (const [name, make] of Object.entries(STORES))
  describe(`the ${name} store`, () => {
    it('returns the written value with an increasing revision', async () => {
      const [one, two] = await make();
      expect(await one.read('checkout/a')).toBeNull();
      const value = JSON.stringify({ text: 'zwölf €\n"quotes" \\ \u2028', nul: null });
      expect(await one.write('checkout/a', value, 0)).toBe(true);
      expect(await two.read('checkout/a')).toEqual({ value, revision: 1 });
      expect(await two.write('checkout/a', 'next', 1)).toBe(true);
      expect(await one.read('checkout/a')).toEqual({ value: 'next', revision: 2 });
      await Promise.all([one.close(), two.close()]);
    });

    it('writes only over the given revision', async () => {
      const [one, two] = await make();
      expect(await one.write('checkout/a', '1', 0)).toBe(true);
      expect(await two.write('checkout/a', '2', 0)).toBe(false);
      expect(await two.write('checkout/a', '2', 7)).toBe(false);
      expect(await two.write('checkout/b', '2', 1)).toBe(false);
      expect((await one.read('checkout/a'))?.value).toBe('1');
      expect(await one.read('checkout/b')).toBeNull();
      await Promise.all([one.close(), two.close()]);
    });

    it('accepts exactly one of many concurrent writes', async () => {
      const [one, two] = await make();
      for (let revision = 0; revision < 5; revision += 1) {
        const writes = Array.from({ length: 20 }, (_, index) =>
          (index % 2 ? one : two).write('checkout/a', `${revision}-${index}`, revision),
        );
        expect((await Promise.all(writes)).filter(Boolean)).toHaveLength(1);
      }
      expect((await one.read('checkout/a'))?.revision).toBe(5);
      await Promise.all([one.close(), two.close()]);
    });

    it('lists keys by prefix, in order and in pages, without removed ones', async () => {
      const [one, two] = await make();
      for (const key of ['open/c', 'open/a', 'open/b', 'openly/x', 'checkout/a'])
        await one.write(key, '', 0);
      expect(await two.list('open/', '', 10)).toEqual(['open/a', 'open/b', 'open/c']);
      expect(await two.list('open/', 'open/a', 1)).toEqual(['open/b']);
      expect(await two.list('nothing/', '', 10)).toEqual([]);
      await two.remove('open/b');
      await two.remove('open/b');
      expect(await one.list('open/', '', 10)).toEqual(['open/a', 'open/c']);
      expect(await one.write('open/b', 'again', 0)).toBe(true);
      await Promise.all([one.close(), two.close()]);
    });

    it('rejects invalid keys', async () => {
      const [one, two] = await make();
      for (const key of [
        '',
        'a',
        '/a',
        'checkout/../../etc',
        'checkout/a/b',
        'checkout/..',
        'checkout/',
        `checkout/${'a'.repeat(300)}`,
        'checkout/\0',
        'Checkout/a',
      ])
        await expect(Promise.resolve().then(() => one.read(key))).rejects.toThrow(StoreError);
      await Promise.all([one.close(), two.close()]);
    });

    it('replaces a damaged entry, once, and keeps it aside', async () => {
      const [one, two] = await make();
      await one.write('checkout/a', 'half', 0);
      expect(await one.replaceDamaged?.('checkout/a', 'other', 'x')).toBe(false);
      expect(await one.replaceDamaged?.('checkout/none', 'half', 'x')).toBe(false);
      expect(await one.replaceDamaged?.('checkout/a', 'half', 'whole')).toBe(true);
      expect(await two.replaceDamaged?.('checkout/a', 'half', 'late')).toBe(false);
      const entry = await two.read('checkout/a');
      expect(entry?.value).toBe('whole');
      expect(await two.write('checkout/a', 'next', entry?.revision ?? 0)).toBe(true);
      // Damaged again, and without a successor.
      expect(await two.replaceDamaged?.('checkout/a', 'next', null)).toBe(true);
      expect(await one.read('checkout/a')).toBeNull();
      expect(await one.list('checkout/', '', 10)).toEqual([]);
      expect(await one.write('checkout/a', 'new', 0)).toBe(true);
      await Promise.all([one.close(), two.close()]);
    });

    it('passes its check', async () => {
      const [one, two] = await make();
      await expect(one.check()).resolves.toBeUndefined();
      await Promise.all([one.close(), two.close()]);
    });

    if (name === 'postgres')
      it('notifies one process of the writes of another', async () => {
        const [one, two] = await make();
        const changed: string[] = [];
        const stop = two.watch?.((key) => changed.push(key));
        await expect
          .poll(async () => {
            const entry = await one.read('checkout/a');
            await one.write('checkout/a', 'x', entry?.revision ?? 0);
            return changed;
          })
          .toContain('checkout/a');
        stop?.();
        await Promise.all([one.close(), two.close()]);
      });
  });

describe('the file store', () => {
  it('stores entries for the next process', async () => {
    const folder = await newFolder();
    await createFileStore(folder).write('checkout/a', '{"a":1}', 0);
    expect(await createFileStore(folder).read('checkout/a')).toEqual({
      value: '{"a":1}',
      revision: 1,
    });
    const [shard = ''] = await readdir(join(folder, 'checkout'));
    expect(await readFile(join(folder, 'checkout', shard, 'a.json'), 'utf8')).toBe('1\n{"a":1}');
  });

  it('creates its own folder but not the parent', async () => {
    const folder = await newFolder();
    const store = createFileStore(join(folder, 'checkouts'));
    expect(await store.write('checkout/a', 'x', 0)).toBe(true);
    const lost = createFileStore(join(folder, 'mistyped', 'checkouts'));
    await expect(lost.write('checkout/a', 'x', 0)).rejects.toThrow(
      /could not write .*mistyped does not exist: create it/,
    );
    await expect(lost.check()).rejects.toThrow(StoreError);
    expect(await readdir(folder)).toEqual(['checkouts']);
  });

  it.runIf(process.platform === 'linux')(
    'fails below a read-only parent instead of retrying forever',
    async () => {
      for (const folder of ['/proc', '/proc/x'])
        await expect(createFileStore(folder).check()).rejects.toThrow(StoreError);
      await expect(createFileStore('/proc/x').write('checkout/a', 'x', 0)).rejects.toThrow(
        StoreError,
      );
    },
  );

  it('ignores incomplete files after a crash', async () => {
    const folder = await newFolder();
    const store = createFileStore(folder);
    await store.write('open/a', '', 0);
    const [shard = ''] = await readdir(join(folder, 'open'));
    await writeFile(join(folder, 'open', shard, 'b.json.0123456789ab.next'), 'half');
    expect(await store.list('open/', '', 10)).toEqual(['open/a']);
  });

  it('reports an unreadable file instead of a missing entry', async () => {
    const folder = await newFolder();
    const store = createFileStore(folder);
    await store.write('checkout/a', 'x', 0);
    const [shard = ''] = await readdir(join(folder, 'checkout'));
    await writeFile(join(folder, 'checkout', shard, 'a.json'), '');
    await expect(store.read('checkout/a')).rejects.toThrow(StoreError);
  });
});
