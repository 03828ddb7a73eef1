import type { Reason } from '@crypto-checkout/protocol/error';
import type { z } from 'zod';

/**
 * Describes a route for the published API description. The route validates with the same schemas.
 */
export interface Operation {
  /** For example `List invoices`. */
  summary: string;
  /** Details for callers, in sentences. */
  description?: string;
  /** A heading of docs/interface.md, for example `Create an invoice`. */
  source: string;
  /** Other services of the same interface lack it. */
  isExtension?: true;
  /** Members of the payload besides `request` and `nonce`. */
  payload?: z.ZodType;
  /** Filters of a list, sent in the query or as members of the payload. */
  filters?: readonly string[];
  /** Body of a successful answer. */
  answer: z.ZodType;
  /** Status of a successful answer. Default 200. */
  status?: 200 | 201;
  /** A second kind of successful answer, with 200. */
  otherwise?: { description: string; answer: z.ZodType };
  /** Error reasons besides those that every request, payload and id can have. */
  reasons?: readonly Reason[];
}
