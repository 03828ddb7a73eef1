import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readFile, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Entry, type Store, StoreError, requireKey } from './store.ts';

/**
 * Keeps each entry in a file of its own under a folder. A file is written whole beside the old one, flushed, and renamed over it,
 * and the folder is flushed after that, so that a crash leaves the old entry or the new one. One process at a time.
 * @param path of the folder; it is made where it is missing, in one that is there
 */
export function createFileStore(path: string): Store {
  const folder = resolve(path);
  const locks = new Map<string, Promise<unknown>>();

  // Writers of one key come one after the other: compare and set is two steps on a file system.
  const locked = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = locks.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    locks.set(key, mine);
    try {
      return await mine;
    } finally {
      if (locks.get(key) === mine) locks.delete(key);
    }
  };

  return {
    async read(key) {
      return readEntry(pathOf(folder, key));
    },
    write: (key, value, revision) =>
      locked(key, async () => {
        const path = pathOf(folder, key);
        if (((await readEntry(path))?.revision ?? 0) !== revision) return false;
        await writeWhole(folder, path, `${revision + 1}\n${value}`);
        return true;
      }),
    remove: (key) =>
      locked(key, async () => {
        await rm(pathOf(folder, key), { force: true });
      }),
    async list(prefix, after, limit) {
      const [noun = ''] = prefix.split('/');
      const shards = await readdir(join(folder, noun)).catch(absent);
      const names = await Promise.all(shards.map((shard) => readdir(join(folder, noun, shard)).catch(absent)));
      return names
        .flat()
        .filter((name) => name.endsWith('.json'))
        .map((name) => `${noun}/${name.slice(0, -'.json'.length)}`)
        .filter((key) => key.startsWith(prefix) && key > after)
        .toSorted()
        .slice(0, limit);
    },
    async check() {
      const path = join(folder, 'probe');
      await writeWhole(folder, path, 'ok');
    },
    async close() {
      await Promise.allSettled(locks.values());
    },
  };
}

/** Entries spread over 256 folders, so that none gets too long to read. */
function pathOf(folder: string, key: string): string {
  requireKey(key);
  const [noun = '', name = ''] = key.split('/');
  return join(folder, noun, createHash('sha256').update(name).digest('hex').slice(0, 2), `${name}.json`);
}

async function readEntry(path: string): Promise<Entry | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new StoreError(`could not read ${path}`, { cause: error });
  });
  if (text === null) return null;
  const end = text.indexOf('\n');
  const revision = Number(text.slice(0, end));
  if (end < 1 || !Number.isSafeInteger(revision) || revision < 1) throw new StoreError(`${path} does not begin with a revision`);
  return { revision, value: text.slice(end + 1) };
}

async function writeWhole(folder: string, path: string, text: string): Promise<void> {
  const next = `${path}.${randomBytes(6).toString('hex')}.next`;
  try {
    await makeFolder(dirname(path), folder);
    const file = await open(next, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(next, path);
    await flushFolder(dirname(path));
  } catch (error) {
    await rm(next, { force: true }).catch(() => undefined);
    throw new StoreError(`could not write ${path} (${(error as Error).message})`, { cause: error });
  }
}

/**
 * Makes a folder of the store, and the store's own where it is missing. Never what that one is to lie in: a mistyped path would grow a
 * tree somewhere, and told to make all of it, Node tries for ever where a parent takes no folders (`/proc/x`).
 */
async function makeFolder(path: string, folder: string): Promise<void> {
  const make = () => mkdir(path, { mode: 0o700 }).catch(unlessThere);
  await make().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' || path === folder) throw error;
    await makeFolder(dirname(path), folder);
    await make();
  });
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

/** A rename is durable when its folder is. Windows can't flush a folder, and need not. */
async function flushFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function absent(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
  throw new StoreError('could not read the folder of the store', { cause: error });
}
