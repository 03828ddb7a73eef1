import { z } from 'zod';

/** A successful answer with one object. */
export function resultOf<T extends z.ZodType>(item: T) {
  return z.object({ result: item.meta({ description: 'The requested object.' }) });
}

/** A successful answer with a list without pages. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.object({ result: z.array(item).meta({ description: 'The requested objects.' }) });
}
