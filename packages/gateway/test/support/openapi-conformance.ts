import type { Hono } from 'hono';
import type { Env } from '../../src/http/env.ts';
import { declaredRoutes } from '../../src/http/routing.ts';
import { describeService, type OpenApi } from '../../src/openapi/document.ts';
import type { JsonSchema } from '../../src/openapi/schema.ts';

type Components = Readonly<Record<string, JsonSchema>>;

const documents = new WeakMap<object, OpenApi>();

/** The OpenAPI description of an app, created once. */
function documentOf(app: Hono<Env>): OpenApi {
  const cached = documents.get(app);
  if (cached) return cached;
  const document = describeService(declaredRoutes(app), null);
  documents.set(app, document);
  return document;
}

interface ResponseToCheck {
  method: string;
  path: string;
  status: number;
  body: unknown;
}

/**
 * Checks an answer against the OpenAPI description of its route: the status code is declared, all
 * members are described, and all required members are present. Paths without a description are
 * skipped.
 * @throws Error with the differences
 */
export function checkConformance(
  app: Hono<Env>,
  { method, path, status, body }: ResponseToCheck,
): void {
  const { paths, components } = documentOf(app);
  const operation = paths[templateOf(paths, path) ?? '']?.[method.toLowerCase()];
  if (!operation) return;
  const declared = operation.responses[String(status === 431 ? 413 : status)];
  const answer =
    declared && '$ref' in declared
      ? components.responses[declared.$ref.split('/').at(-1) ?? '']
      : declared;
  const found = answer
    ? differences(answer.content?.['application/json']?.schema ?? {}, body, components.schemas)
    : [`${status} is not described`];
  if (found.length === 0) return;
  throw new Error(
    `${method} ${path} answered ${status}, which differs from its OpenAPI description: ${found.slice(0, 5).join('; ')}\n${JSON.stringify(body)}`,
  );
}

/**
 * Finds `/v1/invoices/{id}/` for the path of an invoice. Paths without parameters take precedence.
 */
function templateOf(paths: OpenApi['paths'], path: string): string | undefined {
  if (paths[path]) return path;
  return Object.keys(paths).find((template) =>
    new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
  );
}

/**
 * Validates a value against the subset of JSON Schema that the description uses. Stricter than JSON
 * Schema: undescribed members are differences too.
 * @returns one sentence per difference
 */
export function differences(
  schema: JsonSchema,
  value: unknown,
  components: Components,
  at = 'the answer',
): string[] {
  if (schema.$ref !== undefined) {
    const target = components[schema.$ref.replace('#/components/schemas/', '')];
    return target === undefined
      ? [`${at}: ${schema.$ref} leads nowhere`]
      : differences(target, value, components, at);
  }
  if (schema.allOf)
    return together(schema.allOf.map((each) => differences(each, value, components, at)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    const found = choices.map((each) => differences(each, value, components, at));
    return found.some((each) => each.length === 0)
      ? []
      : (found.toSorted((a, b) => b.length - a.length)[0] ?? []);
  }
  if (schema.const !== undefined && value !== schema.const)
    return [`${at} is not ${JSON.stringify(schema.const)}`];
  if (schema.enum && !schema.enum.includes(value))
    return [`${at} is not one of ${JSON.stringify(schema.enum)}`];
  const type = typeOf(value);
  const allowed = [schema.type ?? []].flat();
  if (
    allowed.length > 0 &&
    !allowed.includes(type) &&
    !(type === 'integer' && allowed.includes('number'))
  )
    return [`${at} is ${type}, not ${allowed.join(' or ')}`];
  if (type === 'string') return textDifferences(schema, value as string, at);
  if (type === 'integer' || type === 'number')
    return numberDifferences(schema, value as number, at);
  if (type === 'array')
    return (value as unknown[]).flatMap((item, index) =>
      differences(schema.items ?? {}, item, components, `${at}[${index}]`),
    );
  return type === 'object'
    ? objectDifferences(schema, value as Record<string, unknown>, components, at)
    : [];
}

/** A member is described when one of several schemas describes it. */
function together(lists: readonly string[][]): string[] {
  const isUndescribed = (text: string) => text.endsWith('is not described');
  return [...new Set(lists.flat())].filter(
    (text) => !isUndescribed(text) || lists.every((each) => each.includes(text)),
  );
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function textDifferences(
  { pattern, format, minLength = 0, maxLength = Infinity }: JsonSchema,
  value: string,
  at: string,
): string[] {
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value))
    return [`${at} is ${JSON.stringify(value)}, which is not like ${pattern}`];
  if (format === 'date-time' && Number.isNaN(Date.parse(value)))
    return [`${at} is ${JSON.stringify(value)}, which is no time`];
  return value.length < minLength || value.length > maxLength
    ? [`${at} has ${value.length} characters`]
    : [];
}

function numberDifferences(
  { minimum = -Infinity, maximum = Infinity }: JsonSchema,
  value: number,
  at: string,
): string[] {
  return value < minimum || value > maximum ? [`${at} is ${value}`] : [];
}

function objectDifferences(
  schema: JsonSchema,
  value: Record<string, unknown>,
  components: Components,
  at: string,
): string[] {
  const { properties, required = [], additionalProperties } = schema;
  const missing = required
    .filter((name) => !(name in value))
    .map((name) => `${at}.${name} is missing`);
  const members = Object.entries(value).flatMap(([name, member]) => {
    const described =
      properties?.[name] ??
      (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    if (described) return differences(described, member, components, `${at}.${name}`);
    return properties === undefined || additionalProperties !== undefined
      ? []
      : [`${at}.${name} is not described`];
  });
  return [...missing, ...members];
}
