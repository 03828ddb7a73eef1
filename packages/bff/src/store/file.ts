import { createHash, randomBytes } from 'node:crypto';
import { copyFile, mkdir, open, readFile, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DamagedEntry, type Entry, type Store, StoreError, requireKey } from './store.ts';

/**
 * Stores each entry in a file of its own. A file is written whole beside the old one, flushed and
 * renamed over it, and then the folder is flushed: after a crash the old or the new entry is there.
 * For one process at a time.
 * @param path the folder; it is created in an existing parent
 */
export function createFileStore(path: string): Store {
  const folder = resolve(path);
  const locks = new Map<string, Promise<unknown>>();
  let isSwept = false;

  // Writes of one key are serialized: compare-and-set takes two steps on a file system.
  const locked = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const previous = locks.get(key) ?? Promise.resolve();
    const current = previous.then(work, work);
    locks.set(key, current);
    try {
      return await current;
    } finally {
      if (locks.get(key) === current) locks.delete(key);
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
    replaceDamaged: (key, damaged, value) =>
      locked(key, async () => {
        const path = pathOf(folder, key);
        if ((await valueOrDamaged(path)) !== damaged) return false;
        await copyFile(path, `${path}.damaged`);
        await flushFolder(dirname(path));
        if (value === null) await rm(path, { force: true });
        else await writeWhole(folder, path, `1\n${value}`);
        return true;
      }),
    async list(prefix, after, limit) {
      const [noun = ''] = prefix.split('/');
      const shards = await readdir(join(folder, noun)).catch(absent);
      const names = await Promise.all(
        shards.map((shard) => readdir(join(folder, noun, shard)).catch(absent)),
      );
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
      if (isSwept) return;
      isSwept = true;
      await removeLeftovers(folder);
    },
    async close() {
      await Promise.allSettled(locks.values());
    },
  };
}

/** Entries are spread over 256 folders, so that each stays small. */
function pathOf(folder: string, key: string): string {
  requireKey(key);
  const [noun = '', name = ''] = key.split('/');
  return join(
    folder,
    noun,
    createHash('sha256').update(name).digest('hex').slice(0, 2),
    `${name}.json`,
  );
}

async function readEntry(path: string): Promise<Entry | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new StoreError(`could not read ${path}`, { cause: error });
  });
  if (text === null) return null;
  const end = text.indexOf('\n');
  const revision = Number(text.slice(0, end));
  if (end < 1 || !Number.isSafeInteger(revision) || revision < 1)
    throw new DamagedEntry(`${path} does not begin with a revision`, { value: null });
  return { revision, value: text.slice(end + 1) };
}

/** The value of an entry; null for one that cannot be read, undefined for none. */
async function valueOrDamaged(path: string): Promise<string | null | undefined> {
  try {
    return (await readEntry(path))?.value;
  } catch (error) {
    if (error instanceof DamagedEntry) return null;
    throw error;
  }
}

/** The files that this process is writing. */
const inProgress = new Set<string>();

/** Removes what killed processes left of their writes. */
async function removeLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true }).catch(absent);
  const leftovers = names
    .filter((name) => /\.[0-9a-f]{12}\.next$/.test(name))
    .map((name) => join(folder, name))
    .filter((path) => !inProgress.has(path));
  await Promise.all(leftovers.map((path) => rm(path, { force: true })));
}

async function writeWhole(folder: string, path: string, text: string): Promise<void> {
  const next = `${path}.${randomBytes(6).toString('hex')}.next`;
  inProgress.add(next);
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
  } finally {
    inProgress.delete(next);
  }
}

/**
 * Creates a folder of the store, and the store's own if it is missing, but never its parent: a
 * mistyped path would create a tree elsewhere. The recursive option of `mkdir` is not used because
 * it never returns below a read-only parent such as `/proc`.
 */
async function makeFolder(path: string, folder: string): Promise<void> {
  const make = () => mkdir(path, { mode: 0o700 }).catch(unlessThere);
  await make().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && path === folder)
      throw new StoreError(
        `the folder ${dirname(path)} does not exist: create it, or correct the path`,
      );
    if (error.code !== 'ENOENT') throw error;
    await makeFolder(dirname(path), folder);
    await make();
  });
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

/**
 * A rename is durable after a flush of its folder. Windows cannot flush a folder and does not need
 * to.
 */
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
