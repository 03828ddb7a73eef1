import type { Answer } from './error.ts';
import type { JsonSchema } from './schema.ts';

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description: string;
  schema: JsonSchema;
}

/** One endpoint of the description. */
export interface DescribedOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  parameters?: Parameter[];
  security?: Record<string, never[]>[];
  responses: Record<string, Answer | { $ref: string }>;
  /** The signed payload, in a form that generators find without opening the header. */
  'x-payload'?: JsonSchema;
  'x-permission'?: string;
  /** A heading of docs/interface.md. */
  'x-source'?: string;
  /** Other services of the same interface lack it. */
  'x-extension'?: true;
}
