import type { z } from 'zod';
import { alternativeOf, operationOf, permissionOf } from '../http/authorized.ts';
import type { Operation } from '../http/operation.ts';
import type { DeclaredRoute } from '../http/routing.ts';
import { ANSWERS, PAYLOADS, VALUE_LISTS } from './component.ts';
import type { DescribedOperation, Parameter } from './described-operation.ts';
import { type Answer, ERROR_SCHEMA, errorAnswers, SHARED_ANSWERS } from './error.ts';
import { exampleOf } from './example.ts';
import { filterSchema } from './filter.ts';
import { inOrder, operationId, resourceOfPath, titleOf } from './name.ts';
import { PUBLIC } from './public.ts';
import { type JsonSchema, jsonSchemas, refTo } from './schema.ts';
import { SECURITY_SCHEMES, SIGNED_REQUEST, SIGNING } from './security.ts';
import { type Webhook, webhooks } from './webhook.ts';

export interface OpenApi {
  openapi: '3.1.0';
  info: {
    title: string;
    version: string;
    summary: string;
    description: string;
    contact: { name: string };
    license: { name: string; identifier: string };
  };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, DescribedOperation>>;
  webhooks: Record<string, { post: Webhook }>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, Answer>;
    securitySchemes: typeof SECURITY_SCHEMES;
  };
}

interface SignedRoute extends Pick<DeclaredRoute, 'method' | 'path'> {
  operation: Operation;
  permission: string;
  /** Another permission that is enough; null for none. */
  alternative: string | null;
}

/**
 * Builds the description: every route under `/v1/` from its declaration, and the public ones.
 * @param serverUrl address of the service; the root of the same host when it is unknown
 */
export function describeService(
  routes: readonly DeclaredRoute[],
  serverUrl: string | null,
): OpenApi {
  const signed = routes.map(signedRoute).filter((route) => route !== null);
  const parts = describeParts(signed);
  const paths: OpenApi['paths'] = {};
  for (const route of signed) place(paths, route, describeSigned(route, parts));
  for (const route of PUBLIC) place(paths, route, { ...route.operation, security: [] });
  const schemas = {
    Error: ERROR_SCHEMA,
    SignedRequest: SIGNED_REQUEST as JsonSchema,
    ...parts.components,
  };
  const used = new Set(
    Object.values(paths).flatMap((methods) => Object.values(methods).flatMap(({ tags }) => tags)),
  );
  return {
    openapi: '3.1.0',
    info: {
      title: 'Crypto Checkout',
      version: 'v1',
      summary: 'Accepts cryptocurrency payments, reports them, and sends payouts.',
      description: SIGNING,
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl ?? '/', description: 'This service.' }],
    tags: inOrder(used).map((name) => ({ name, description: titleOf(name) })),
    paths,
    webhooks: webhooks(),
    components: { schemas, responses: SHARED_ANSWERS, securitySchemes: SECURITY_SCHEMES },
  };
}

function signedRoute({ method, path, handlers }: DeclaredRoute): SignedRoute | null {
  const handler = handlers.find((each) => operationOf(each) !== null);
  const operation = handler && operationOf(handler);
  return handler && operation
    ? {
        method,
        path,
        operation,
        permission: permissionOf(handler) ?? '',
        alternative: alternativeOf(handler),
      }
    : null;
}

interface Parts {
  components: Record<string, JsonSchema>;
  /** The schema of an answer or a payload, as an operation refers to it. */
  schemaOf(schema: z.ZodType): JsonSchema;
}

/** Lists every schema once: named ones as components, answers that only wrap them inline. */
function describeParts(routes: readonly SignedRoute[]): Parts {
  const answers = new Map(Object.entries(ANSWERS).map(([name, schema]) => [schema, name]));
  const payloads = new Map(
    Object.entries({ ...VALUE_LISTS, ...PAYLOADS }).map(([name, schema]) => [schema, name]),
  );
  for (const { operation, ...route } of routes) {
    const id = operationId(route);
    const { payload, answer, otherwise } = operation;
    if (!answers.has(answer)) answers.set(answer, `${INLINE}${id}`);
    if (otherwise && !answers.has(otherwise.answer))
      answers.set(otherwise.answer, `${INLINE}${id}:otherwise`);
    if (payload && !payloads.has(payload))
      payloads.set(payload, `${id.charAt(0).toUpperCase()}${id.slice(1)}`);
  }
  const described = new Map([...jsonSchemas(answers, 'output'), ...jsonSchemas(payloads, 'input')]);
  const named = [...described].filter(([name]) => !name.startsWith(INLINE));
  const names = new Map([...answers, ...payloads]);
  return {
    components: Object.fromEntries(named),
    schemaOf(schema) {
      const name = names.get(schema) ?? '';
      return name.startsWith(INLINE) ? (described.get(name) ?? {}) : refTo(name);
    },
  };
}

/** Marks inline schemas. */
const INLINE = 'inline:';

function describeSigned(route: SignedRoute, { schemaOf, components }: Parts): DescribedOperation {
  const { operation, path, permission, alternative } = route;
  const payload = operation.payload && schemaOf(operation.payload);
  const permissions = [permission, alternative]
    .filter((name) => name !== null)
    .map((name) => `\`${name}\``)
    .join(' or ');
  const parameters = [
    ...pathParameters(path),
    ...(operation.filters ?? []).map((name) => filterParameter(resourceOfPath(path), name)),
    payloadParameter(payload),
  ];
  const body = (schema: JsonSchema) => ({
    'application/json': { schema, example: exampleOf(schema, components) },
  });
  const { answer, status = 200, otherwise } = operation;
  return {
    operationId: operationId(route),
    tags: [resourceOfPath(path)],
    summary: operation.summary,
    description: [operation.description, `Required permission: ${permissions}.`]
      .filter(Boolean)
      .join('\n\n'),
    parameters,
    security: [{ key: [], payload: [], signature: [] }],
    responses: {
      [status]: { description: 'Success.', content: body(schemaOf(answer)) },
      ...(otherwise && {
        200: { description: otherwise.description, content: body(schemaOf(otherwise.answer)) },
      }),
      ...errorAnswers(operation, path),
    },
    ...(payload && { 'x-payload': payload }),
    'x-permission': permission,
    'x-source': operation.source,
    ...(operation.isExtension && { 'x-extension': true }),
  };
}

function pathParameters(path: string): Parameter[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const schema: JsonSchema =
      name === 'symbol'
        ? { type: 'string', examples: ['EUR'] }
        : { type: 'string', format: 'uuid' };
    const description =
      name === 'symbol'
        ? 'Symbol of a fiat currency or a coin.'
        : 'Id from the answer that created the object.';
    return { name, in: 'path', required: true, description, schema };
  });
}

/** A filter is sent in the query or as a payload member; two different values are rejected. */
function filterParameter(resource: string, name: string): Parameter {
  const { description = '', ...schema } = filterSchema(resource, name);
  return { name, in: 'query', description, schema };
}

function payloadParameter(payload: JsonSchema | undefined): Parameter {
  return {
    name: 'X-CC-PAYLOAD',
    in: 'header',
    required: true,
    description: 'Base64 of this JSON object.',
    schema: {
      type: 'string',
      contentEncoding: 'base64',
      contentMediaType: 'application/json',
      contentSchema: payload
        ? { allOf: [refTo('SignedRequest'), payload] }
        : refTo('SignedRequest'),
    },
  };
}

function place(
  paths: OpenApi['paths'],
  { method, path }: { method: string; path: string },
  operation: DescribedOperation,
): void {
  const template = publicPath(path).replace(/:(\w+)/g, '{$1}');
  (paths[template] ??= {})[method.toLowerCase()] = operation;
}

/**
 * Only the interface's own paths keep their last slash; all others are listed without it, and match
 * both.
 */
const publicPath = (path: string): string =>
  path.startsWith('/v1/') || path === '/reference/' ? path : path.replace(/\/$/, '');
