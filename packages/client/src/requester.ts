import type { Page } from '@crypto-checkout/protocol/schema/fields/pagination';
import { ServiceError } from './error.ts';
import type { Call, Transport } from './transport.ts';

export interface CallOptions {
  signal?: AbortSignal;
}

/** The part of a zod schema that the client uses. */
export interface Schema<T> {
  safeParse(
    value: unknown,
  ):
    | { success: true; data: T }
    | { success: false; error: { issues: { path: PropertyKey[]; message: string }[] } };
}

/** The interface does not define the body of a deletion, so any JSON is accepted. */
const anything: Schema<void> = { safeParse: () => ({ success: true, data: undefined }) };

/** The calls of one client. Each response is parsed with its schema. */
export class Requester {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  read<T>(schema: Schema<T>, path: string, parameters?: object, options?: CallOptions): Promise<T> {
    return this.#request(schema, { method: 'GET', path, parameters, signal: options?.signal });
  }

  create<T>(
    schema: Schema<T>,
    path: string,
    parameters: object,
    options?: CallOptions,
  ): Promise<T> {
    return this.#request(schema, { method: 'POST', path, parameters, signal: options?.signal });
  }

  update<T>(
    schema: Schema<T>,
    path: string,
    parameters: object,
    options?: CallOptions,
  ): Promise<T> {
    return this.#request(schema, { method: 'PUT', path, parameters, signal: options?.signal });
  }

  delete(path: string, options?: CallOptions): Promise<void> {
    return this.#request(anything, { method: 'DELETE', path, signal: options?.signal });
  }

  async #request<T>(schema: Schema<T>, call: Call): Promise<T> {
    const parsed = schema.safeParse(await this.#transport.send(call));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const message = `unexpected response to ${call.method} ${call.path}: ${issue?.path.join('.')} ${issue?.message}`;
    throw new ServiceError(message, { status: 200 }, { cause: parsed.error });
  }
}

/** Yields all items, page by page. An item that moves between pages meanwhile is yielded once. */
export async function* allPages<Item extends { id: string }>(
  list: (page: number) => Promise<Page<Item>>,
): AsyncGenerator<Item> {
  const seen = new Set<string>();
  for (let page: number | null = 1; page !== null;) {
    const { result, pagination }: Page<Item> = await list(page);
    for (const item of result) {
      if (!seen.has(item.id)) yield item;
      seen.add(item.id);
    }
    // Only a higher page number continues: any other would loop forever.
    page =
      pagination.next_page !== null && pagination.next_page > page ? pagination.next_page : null;
  }
}

/** The path of one item of a resource. */
export function pathOf(resource: string, id: string): string {
  // An empty id would address the list, and dots another path.
  if (id === '' || /^\.{1,2}$/.test(id)) throw new TypeError(`invalid id: ${JSON.stringify(id)}`);
  return `/v1/${resource}/${encodeURIComponent(id)}/`;
}
