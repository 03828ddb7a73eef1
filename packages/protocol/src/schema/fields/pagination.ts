import { z } from 'zod';

/** Items on a page. */
export const PER_PAGE = 25;

export const pagination = z
  .object({
    num_pages: z.int().meta({ description: 'Number of pages, at least one.', examples: [1] }),
    count: z.int().meta({ description: 'Number of items on all pages.', examples: [1] }),
    page: z.int().meta({ description: 'Number of this page, from 1.', examples: [1] }),
    next_page: z
      .int()
      .nullable()
      .meta({ description: 'Number of the next page; null on the last page.', examples: [null] }),
    previous_page: z
      .int()
      .nullable()
      .meta({
        description: 'Number of the previous page; null on the first page.',
        examples: [null],
      }),
    per_page: z.int().meta({ description: `Items on a page: ${PER_PAGE}.`, examples: [PER_PAGE] }),
  })
  .meta({ description: 'Position of a page in its list.' });
export type Pagination = z.infer<typeof pagination>;

/** A page of a list. */
export interface Page<Item> {
  pagination: Pagination;
  result: Item[];
}

export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({
    pagination: pagination.meta({ description: 'Position of this page in the list.' }),
    result: z.array(item).meta({ description: 'The objects on this page.' }),
  });
}
