import { readFileSync } from 'node:fs';

/** A schema as LND's descriptions have it (OpenAPI 2). */
interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  enum?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema;
  items?: Schema;
}

interface Operation {
  parameters: { name: string; in: string; schema?: Schema }[];
  responses: { 200: { schema: Schema } };
}

interface Description {
  paths: Record<string, Record<string, Operation>>;
  definitions: Record<string, Schema>;
}

// LND_DESCRIPTION is the path of another one, for example of a newer version.
const file =
  process.env['LND_DESCRIPTION'] ?? new URL('../../vectors/lnd/rest.json', import.meta.url);
const description = JSON.parse(readFileSync(file, 'utf8')) as Description;

function operationOf(method: string, path: string): Operation {
  const operation = description.paths[path]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`LND has no ${method} ${path}`);
  return operation;
}

/** @throws Error when LND would not take such a request */
export function checkRequest(
  method: string,
  path: string,
  { query, body }: { query: URLSearchParams; body: unknown },
): void {
  const { parameters } = operationOf(method, path);
  for (const name of query.keys())
    if (!parameters.some((one) => one.in === 'query' && one.name === name))
      throw new Error(`${method} ${path} has no parameter ${name}`);
  const schema = parameters.find((one) => one.in === 'body')?.schema;
  if (schema !== undefined) checkValue(schema, body, `${method} ${path}`);
}

/**
 * Returns the answer of an operation, or one item of its stream.
 * @throws Error when LND's own description does not allow it
 */
export function checkAnswer<T>(method: string, path: string, answer: T): T {
  const { schema } = operationOf(method, path).responses[200];
  checkValue(schema, answer, `${method} ${path}`);
  return answer;
}

function checkValue(schema: Schema, value: unknown, at: string): void {
  const resolved = resolve(schema);
  const refuse = (why: string): never => {
    throw new Error(`${at} ${why}: ${JSON.stringify(value)}`);
  };
  if (resolved.enum !== undefined)
    return resolved.enum.includes(value as string) ? undefined : refuse('is not in the list');
  switch (resolved.type) {
    case 'object':
      return checkObject(resolved, value, at, refuse);
    case 'array':
      if (!Array.isArray(value)) return refuse('is not a list');
      return value.forEach((item, index) => checkValue(resolved.items!, item, `${at}[${index}]`));
    case 'string':
      return checkText(resolved, value, refuse);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : refuse('is not a boolean');
    case 'integer':
      return Number.isSafeInteger(value) ? undefined : refuse('is not a whole number');
    case undefined:
    default:
      return refuse('has no type that is known');
  }
}

function checkObject(
  { properties = {}, additionalProperties }: Schema,
  value: unknown,
  at: string,
  refuse: (why: string) => never,
): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse('is not an object');
  for (const [name, member] of Object.entries(value)) {
    const schema = properties[name] ?? additionalProperties;
    if (schema === undefined) return refuse(`has no member ${name}`);
    // Messages that are not set are null.
    if (member === null && resolve(schema).type === 'object') continue;
    checkValue(schema, member, `${at}.${name}`);
  }
}

function checkText({ format = '' }: Schema, value: unknown, refuse: (why: string) => never): void {
  if (typeof value !== 'string') return refuse('is not text');
  if (/int64/.test(format) && !/^-?\d+$/.test(value)) return refuse('is not a number as text');
  // The gateway of LND takes both alphabets in requests.
  const text = value.replaceAll('-', '+').replaceAll('_', '/');
  if (format === 'byte' && Buffer.from(text, 'base64').toString('base64') !== text)
    return refuse('is not base64');
}

function resolve(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema;
  const name = schema.$ref.split('/').at(-1)!;
  const found = description.definitions[name];
  if (found === undefined) throw new Error(`LND's description has no ${name}`);
  return found.type === undefined && found.properties !== undefined
    ? { ...found, type: 'object' }
    : found;
}
