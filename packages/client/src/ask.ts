import type { Page } from '@crypto-checkout/protocol/schema/pagination';
import { ServiceError } from './error.ts';
import type { Call, Transport } from './transport.ts';

export interface CallOptions {
  signal?: AbortSignal;
}

/** What we need of a schema, whatever makes it. */
export interface Schema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: { issues: { path: PropertyKey[]; message: string }[] } };
}

/** What a deletion answers is not specified: any JSON will do. */
const anything: Schema<void> = { safeParse: () => ({ success: true, data: undefined }) };

/** Calls of one client, each answer read with its schema. */
export class Asker {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  read<T>(schema: Schema<T>, path: string, parameters?: object, options?: CallOptions): Promise<T> {
    return this.#ask(schema, { method: 'GET', path, parameters, signal: options?.signal });
  }

  create<T>(schema: Schema<T>, path: string, parameters: object, options?: CallOptions): Promise<T> {
    return this.#ask(schema, { method: 'POST', path, parameters, signal: options?.signal });
  }

  update<T>(schema: Schema<T>, path: string, parameters: object, options?: CallOptions): Promise<T> {
    return this.#ask(schema, { method: 'PUT', path, parameters, signal: options?.signal });
  }

  delete(path: string, options?: CallOptions): Promise<void> {
    return this.#ask(anything, { method: 'DELETE', path, signal: options?.signal });
  }

  async #ask<T>(schema: Schema<T>, call: Call): Promise<T> {
    const parsed = schema.safeParse(await this.#transport.send(call));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const message = `the service’s answer to ${call.method} ${call.path} is not as specified: ${issue?.path.join('.')} ${issue?.message}`;
    throw new ServiceError(message, { status: 200 }, { cause: parsed.error });
  }
}

/** Every item, page after page; one that moves between pages meanwhile comes once. */
export async function* allPages<Item extends { id: string }>(list: (page: number) => Promise<Page<Item>>): AsyncGenerator<Item> {
  const seen = new Set<string>();
  for (let page: number | null = 1; page !== null;) {
    const { result, pagination }: Page<Item> = await list(page);
    for (const item of result) {
      if (!seen.has(item.id)) yield item;
      seen.add(item.id);
    }
    // A page that is not behind this one would go on for ever.
    page = pagination.next_page !== null && pagination.next_page > page ? pagination.next_page : null;
  }
}

/** The path of one item of a resource. */
export function pathOf(resource: string, id: string): string {
  // An empty id would read the list, and dots another path.
  if (id === '' || /^\.{1,2}$/.test(id)) throw new TypeError(`not an id: ${JSON.stringify(id)}`);
  return `/v1/${resource}/${encodeURIComponent(id)}/`;
}
