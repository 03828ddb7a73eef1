import { amountText, timestamp } from '@crypto-checkout/protocol/schema/amount';
import { z } from 'zod';

/** A JSON Schema (2020-12) as far as we make one. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  contentEncoding?: string;
  contentMediaType?: string;
  contentSchema?: JsonSchema;
}

export const refTo = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/**
 * The JSON Schemas of zod schemas, each under its name; where one holds another, it refers to it by that name.
 * @param io `input` for what a caller sends, `output` for what is answered
 */
export function jsonSchemas(named: ReadonlyMap<z.ZodType, string>, io: 'input' | 'output'): Map<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of named) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io,
    // What a transformation makes is described by the schema that is read before it, see below.
    unrepresentable: 'any',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ zodSchema, jsonSchema }) => describe(zodSchema as unknown as z.ZodType, jsonSchema as JsonSchema, io),
  });
  return new Map(Object.entries(schemas).map(([name, schema]) => [name, tidy(schema as JsonSchema, io)]));
}

/** Says what zod can't: the texts behind amounts, and the type of what a transformation only completes. */
function describe(schema: z.ZodType, json: JsonSchema, io: 'input' | 'output'): void {
  if (schema === timestamp) json.format = 'date-time';
  if (schema instanceof z.ZodPipe && schema.out === amountText) {
    Object.assign(json, { anyOf: undefined, type: ['string', 'number'], pattern: AMOUNT });
  } else if (io === 'output' && schema instanceof z.ZodPipe && schema.out instanceof z.ZodTransform) {
    const plain = bare(schema.in as z.ZodType);
    Object.assign(json, z.toJSONSchema(plain, { io, unrepresentable: 'any' }), { $schema: undefined });
  }
}

const AMOUNT = z.toJSONSchema(amountText).pattern;

/** Without "may be left out" and "may be null", which a transformation takes away. */
function bare(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? bare(schema.unwrap() as z.ZodType) : schema;
}

/** Without what says nothing: bounds of every safe integer, defaults of a reader, choices within choices. */
function tidy(schema: JsonSchema, io: 'input' | 'output'): JsonSchema {
  const { $schema: _dialect, $id: _id, ...rest } = schema as JsonSchema & { $schema?: string; $id?: string };
  const json: JsonSchema = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  if (io === 'output') {
    delete json.default;
    // A reader has to accept members that it does not know.
    if (json.additionalProperties === false) delete json.additionalProperties;
  }
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  if (json.format === 'date-time') delete json.pattern;
  if (json.properties)
    json.properties = Object.fromEntries(Object.entries(json.properties).map(([name, value]) => [name, tidy(value, io)]));
  if (typeof json.additionalProperties === 'object') json.additionalProperties = tidy(json.additionalProperties, io);
  if (json.items) json.items = tidy(json.items, io);
  if (json.allOf) json.allOf = json.allOf.map((each) => tidy(each, io));
  return json.anyOf ? choice(json, io) : json;
}

/** `string or null` is a type with two names, not a choice of two schemas. */
function choice({ anyOf = [], ...json }: JsonSchema, io: 'input' | 'output'): JsonSchema {
  const all = anyOf.map((each) => tidy(each, io)).flatMap((each) => (Object.keys(each).join() === 'anyOf' ? (each.anyOf ?? []) : [each]));
  const others = all.filter(({ type }) => type !== 'null');
  const [only] = others;
  if (others.length === all.length || only === undefined || others.length > 1) return { ...json, anyOf: all };
  const { type, enum: values } = only;
  if (type === undefined) return { ...json, anyOf: all };
  return { ...only, ...json, type: [type, 'null'].flat(), ...(values && { enum: [...values, null] }) };
}
