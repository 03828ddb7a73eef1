import type { Hono } from 'hono';
import type { Env } from '../http/env.ts';
import { declaredRoutes } from '../http/routing.ts';
import { describeService, type OpenApi } from './document.ts';
import type { JsonSchema } from './schema.ts';

type Components = Readonly<Record<string, JsonSchema>>;

const documents = new WeakMap<object, OpenApi>();

/** The description of an app, made once. */
function documentOf(app: Hono<Env>): OpenApi {
  const known = documents.get(app);
  if (known) return known;
  const made = describeService(declaredRoutes(app), null);
  documents.set(app, made);
  return made;
}

interface Answered {
  method: string;
  path: string;
  status: number;
  body: unknown;
}

/**
 * Holds an answer against the published description of its route: its code is there, every member that it has is described, and
 * every member that is promised is in it.
 * @throws Error with what is different; nothing for paths that are not described
 */
export function requireDescribed(app: Hono<Env>, { method, path, status, body }: Answered): void {
  const { paths, components } = documentOf(app);
  const operation = paths[templateOf(paths, path) ?? '']?.[method.toLowerCase()];
  if (!operation) return;
  const declared = operation.responses[String(status === 431 ? 413 : status)];
  const answer = declared && '$ref' in declared ? components.responses[declared.$ref.split('/').at(-1) ?? ''] : declared;
  const found = answer
    ? differences(answer.content?.['application/json']?.schema ?? {}, body, components.schemas)
    : [`${status} is not described`];
  if (found.length === 0) return;
  throw new Error(
    `${method} ${path} answered ${status}, not as its operation says: ${found.slice(0, 5).join('; ')}\n${JSON.stringify(body)}`,
  );
}

/** `/v1/invoices/{id}/` for the path of an invoice; a path without parameters before one with them. */
function templateOf(paths: OpenApi['paths'], path: string): string | undefined {
  if (paths[path]) return path;
  return Object.keys(paths).find((template) => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(path));
}

/**
 * Whether a value is as a JSON Schema says, as far as our descriptions use it; and more strictly than a reader may be: a member
 * that is not described is told too.
 * @returns a sentence for each difference
 */
export function differences(schema: JsonSchema, value: unknown, components: Components, at = 'the answer'): string[] {
  if (schema.$ref !== undefined) {
    const target = components[schema.$ref.replace('#/components/schemas/', '')];
    return target === undefined ? [`${at}: ${schema.$ref} leads nowhere`] : differences(target, value, components, at);
  }
  if (schema.allOf) return together(schema.allOf.map((each) => differences(each, value, components, at)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) {
    const found = choices.map((each) => differences(each, value, components, at));
    return found.some((each) => each.length === 0) ? [] : (found.toSorted((a, b) => b.length - a.length)[0] ?? []);
  }
  if (schema.const !== undefined && value !== schema.const) return [`${at} is not ${JSON.stringify(schema.const)}`];
  if (schema.enum && !schema.enum.includes(value)) return [`${at} is not one of ${JSON.stringify(schema.enum)}`];
  const type = typeOf(value);
  const allowed = [schema.type ?? []].flat();
  if (allowed.length > 0 && !allowed.includes(type) && !(type === 'integer' && allowed.includes('number')))
    return [`${at} is ${type}, not ${allowed.join(' or ')}`];
  if (type === 'string') return textDifferences(schema, value as string, at);
  if (type === 'integer' || type === 'number') return numberDifferences(schema, value as number, at);
  if (type === 'array')
    return (value as unknown[]).flatMap((item, index) => differences(schema.items ?? {}, item, components, `${at}[${index}]`));
  return type === 'object' ? objectDifferences(schema, value as Record<string, unknown>, components, at) : [];
}

/** A member that one of several schemas describes is described. */
function together(lists: readonly string[][]): string[] {
  const isUndescribed = (text: string) => text.endsWith('is not described');
  return [...new Set(lists.flat())].filter((text) => !isUndescribed(text) || lists.every((each) => each.includes(text)));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function textDifferences({ pattern, format, minLength = 0, maxLength = Infinity }: JsonSchema, value: string, at: string): string[] {
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value))
    return [`${at} is ${JSON.stringify(value)}, which is not like ${pattern}`];
  if (format === 'date-time' && Number.isNaN(Date.parse(value))) return [`${at} is ${JSON.stringify(value)}, which is no time`];
  return value.length < minLength || value.length > maxLength ? [`${at} has ${value.length} characters`] : [];
}

function numberDifferences({ minimum = -Infinity, maximum = Infinity }: JsonSchema, value: number, at: string): string[] {
  return value < minimum || value > maximum ? [`${at} is ${value}`] : [];
}

function objectDifferences(schema: JsonSchema, value: Record<string, unknown>, components: Components, at: string): string[] {
  const { properties, required = [], additionalProperties } = schema;
  const missing = required.filter((name) => !(name in value)).map((name) => `${at}.${name} is missing`);
  const members = Object.entries(value).flatMap(([name, member]) => {
    const described = properties?.[name] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
    if (described) return differences(described, member, components, `${at}.${name}`);
    return properties === undefined || additionalProperties !== undefined ? [] : [`${at}.${name} is not described`];
  });
  return [...missing, ...members];
}
