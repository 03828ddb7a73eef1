import type { Reason } from '@crypto-checkout/protocol/error';
import type { z } from 'zod';

/** What a route does, for the published description of the interface; the schemas are those that the route itself reads with. */
export interface Operation {
  /** As `List invoices`. */
  summary: string;
  /** What a caller must know besides; sentences. */
  description?: string;
  /** Where the interface says so, as `§4.1`; `ours` where it goes beyond it. */
  source: string;
  /** Members of the payload besides `request` and `nonce`. */
  payload?: z.ZodType;
  /** Filters of a list, sent in the query or as members of the payload. */
  filters?: readonly string[];
  /** Body of the answer when it went well. */
  answer: z.ZodType;
  /** Default 200. */
  status?: 200 | 201;
  /** Another answer that went well, with 200. */
  otherwise?: { description: string; answer: z.ZodType };
  /** Reasons of refusals besides those that every request, every payload and every id can have. */
  reasons?: readonly Reason[];
}
