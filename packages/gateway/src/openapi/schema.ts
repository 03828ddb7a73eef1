import { amountText } from '@crypto-checkout/protocol/schema/fields/amount';
import { z } from 'zod';

/** The part of JSON Schema (2020-12) that we produce. */
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
 * Converts zod schemas to JSON Schemas, each under its name; a schema inside another becomes a
 * reference.
 * @param io `input` for payloads, `output` for answers
 */
export function jsonSchemas(
  named: ReadonlyMap<z.ZodType, string>,
  io: 'input' | 'output',
): Map<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of named) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io,
    // A transformation is described by the schema that is read before it.
    unrepresentable: 'any',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ zodSchema, jsonSchema }) =>
      describe(zodSchema as unknown as z.ZodType, jsonSchema as JsonSchema, io),
  });
  return new Map(
    Object.entries(schemas).map(([name, schema]) => [name, tidy(schema as JsonSchema, io)]),
  );
}

/** Adds facts that zod leaves out: text formats of amounts, and types behind transformations. */
function describe(schema: z.ZodType, json: JsonSchema, io: 'input' | 'output'): void {
  // zod drops the examples of a transforming input; those of payloads are inputs.
  const { examples } = z.globalRegistry.get(schema) ?? {};
  if (io === 'input' && Array.isArray(examples)) json.examples = examples;
  if (schema instanceof z.ZodPipe && schema.out === amountText) {
    Object.assign(json, { anyOf: undefined, type: ['string', 'number'], pattern: AMOUNT });
  } else if (
    io === 'output' &&
    schema instanceof z.ZodPipe &&
    schema.out instanceof z.ZodTransform
  ) {
    const plain = bare(schema.in as z.ZodType);
    Object.assign(json, z.toJSONSchema(plain, { io, unrepresentable: 'any' }), {
      $schema: undefined,
    });
  }
}

const AMOUNT = z.toJSONSchema(amountText).pattern;

/** Without "optional" and "nullable", which a transformation removes. */
function bare(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? bare(schema.unwrap() as z.ZodType)
    : schema;
}

/** Removes noise: bounds of safe integers, readers' defaults, nested choices. */
function tidy(schema: JsonSchema, io: 'input' | 'output'): JsonSchema {
  const {
    $schema: _dialect,
    $id: _id,
    ...rest
  } = schema as JsonSchema & { $schema?: string; $id?: string };
  const json: JsonSchema = Object.fromEntries(
    Object.entries(rest).filter(([, value]) => value !== undefined),
  );
  if (io === 'output') {
    delete json.default;
    // Readers must accept unknown members.
    if (json.additionalProperties === false) delete json.additionalProperties;
  }
  // A reference can have its own description and examples; everything else is in the component.
  if (json.$ref) return { $ref: json.$ref, ...annotations(json) };
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  if (json.format === 'date-time') delete json.pattern;
  if (json.properties)
    json.properties = Object.fromEntries(
      Object.entries(json.properties).map(([name, value]) => [name, tidy(value, io)]),
    );
  if (typeof json.additionalProperties === 'object')
    json.additionalProperties = tidy(json.additionalProperties, io);
  if (json.items) json.items = tidy(json.items, io);
  if (json.allOf) json.allOf = json.allOf.map((each) => tidy(each, io));
  return json.anyOf ? choice(json, io) : json;
}

/** `string or null` is a type with two names, not a choice of two schemas. */
function choice({ anyOf = [], ...json }: JsonSchema, io: 'input' | 'output'): JsonSchema {
  const all = anyOf
    .map((each) => tidy(each, io))
    .flatMap((each) => (Object.keys(each).join() === 'anyOf' ? (each.anyOf ?? []) : [each]));
  const others = all.filter(({ type }) => type !== 'null');
  const [only] = others;
  if (others.length === all.length || only === undefined || others.length > 1)
    return { ...json, anyOf: all };
  const { type, enum: values } = only;
  if (only.$ref)
    return { ...annotations(only), ...json, anyOf: [{ $ref: only.$ref }, { type: 'null' }] };
  if (type === undefined) return { ...json, anyOf: all };
  return {
    ...only,
    ...json,
    type: [type, 'null'].flat(),
    ...(values && { enum: [...values, null] }),
  };
}

function annotations({ description, examples }: JsonSchema): JsonSchema {
  return { ...(description !== undefined && { description }), ...(examples && { examples }) };
}
