import { z } from 'zod';

/** A successful answer about one object (§4). */
export function resultOf<T extends z.ZodType>(item: T) {
  return z.object({ result: item });
}

/** A successful answer that lists objects without pages (§4). */
export function listOf<T extends z.ZodType>(item: T) {
  return z.object({ result: z.array(item) });
}
