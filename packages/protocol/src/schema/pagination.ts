import { z } from 'zod';

/** Items on a page (§2.2). */
export const PER_PAGE = 25;

export const pagination = z.object({
  num_pages: z.int(),
  count: z.int(),
  page: z.int(),
  next_page: z.int().nullable(),
  previous_page: z.int().nullable(),
  per_page: z.int(),
});
export type Pagination = z.infer<typeof pagination>;

/** A page of a list (§2.2). */
export interface Page<Item> {
  pagination: Pagination;
  result: Item[];
}

export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ pagination, result: z.array(item) });
}
