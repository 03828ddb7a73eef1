import { createHash } from 'node:crypto';
import { PAYLOADS } from './component.ts';
import { curlLine, SIGN_IN_SHELL } from './curl.ts';
import type { DescribedOperation, Parameter } from './described-operation.ts';
import type { OpenApi } from './document.ts';
import type { Answer } from './error.ts';
import { exampleOf } from './example.ts';
import { escape, inline, markdown } from './markdown.ts';
import type { JsonSchema } from './schema.ts';
import { STYLE } from './style.ts';

/** The page runs no script and loads nothing; its style is allowed by hash. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

interface Entry {
  method: string;
  path: string;
  operation: DescribedOperation;
}

/**
 * Renders the description as a page: contents, each endpoint with its payload and answers, then
 * every object.
 */
export function renderReference(document: OpenApi): string {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Entry => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
  const groups = document.tags.map((tag) => ({
    ...tag,
    entries: entries.filter(({ operation }) => operation.tags[0] === tag.name),
  }));
  const { schemas } = document.components;
  const sent = new Set(['SignedRequest', ...Object.keys(PAYLOADS)]);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(document.info.title)}: API reference</title>
<style>${STYLE}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<nav aria-label="Contents">
<ul>
<li><a class="group" href="#signing">How to sign a request</a></li>
${groups.map((group) => contents(group.name, group.entries)).join('\n')}
<li><a class="group" href="#callbacks">Callbacks</a></li>
<li><a class="group" href="#objects">Objects</a></li>
</ul>
</nav>
<main id="main">
<h1>${escape(document.info.title)}</h1>
<p class="soft">${inline(document.info.summary)} Version ${escape(document.info.version)}, also <a href="../openapi.json">as OpenAPI 3.1</a>.</p>
${signing(document)}
${groups.map((group) => section(group.name, group.description, group.entries, document)).join('\n')}
${callbacks(document)}
<h2 id="objects">Objects</h2>
<p>Objects in requests and answers. Clients must accept members and values that are not listed here.</p>
${Object.entries(schemas)
  .map(([name, schema]) => object(name, schema, sent.has(name) ? 'sent' : 'answered'))
  .join('\n')}
<footer><p>Generated from the routes and schemas of this service.</p></footer>
</main>
</body>
</html>
`;
}

const contents = (
  name: string,
  entries: readonly Entry[],
): string => `<li><a class="group" href="#${name}">${escape(headingOf(name))}</a>
<ul>${entries.map(({ operation }) => `<li><a href="#${operation.operationId}">${escape(operation.summary)}</a></li>`).join('')}</ul></li>`;

const headingOf = (name: string): string =>
  `${name.charAt(0).toUpperCase()}${name.slice(1)}`
    .replaceAll('-', ' ')
    .replace('Api keys', 'API keys')
    .replace('Lnurl', 'LNURL');

function signing({ info, servers }: OpenApi): string {
  const url = servers[0]?.url ?? '/';
  const settings = `URL=${url === '/' ? 'http://127.0.0.1:8081' : url}\nKEY=<api_key>\nSECRET=<api_secret>`;
  return `<section aria-labelledby="signing"><h2 id="signing">How to sign a request</h2>
${markdown(info.description)}
<p>From a shell, with openssl and curl; the examples below use it. Use a separate API key for it: its nonces are in nanoseconds,
so a client with nonces in milliseconds could no longer use the same key.</p>
${code(`${settings}\n${SIGN_IN_SHELL}`)}</section>`;
}

function section(
  name: string,
  description: string,
  entries: readonly Entry[],
  document: OpenApi,
): string {
  return `<section aria-labelledby="${name}"><h2 id="${name}">${escape(headingOf(name))}</h2>
<p class="soft">${inline(description)}</p>
${entries.map((entry) => endpoint(entry, document)).join('\n')}</section>`;
}

function callbacks({ webhooks }: OpenApi): string {
  const each = Object.values(webhooks).map(({ post }) => {
    const { operationId: id, summary, description, parameters, requestBody } = post;
    const headers = parameters.map(({ name, schema, description: text }) =>
      row(name, { ...schema, description: text }, '', 'header'),
    );
    return `<article aria-labelledby="${id}"><h3 id="${id}">${escape(summary)}<a class="anchor" href="#${id}" aria-label="Link to ${escape(summary)}">#</a></h3>
<p class="path"><span class="method POST">POST</span> <code>callback_url</code></p>
${markdown(description)}
${table(headers)}<h4>Body</h4>${members(requestBody.content['application/json'].schema, 'answered')}</article>`;
  });
  return `<section aria-labelledby="callbacks"><h2 id="callbacks">Callbacks</h2>
<p class="soft">Requests that the service sends to a profile's callback address</p>
${each.join('\n')}</section>`;
}

function endpoint({ method, path, operation }: Entry, { components }: OpenApi): string {
  const { operationId: id, summary, description = '', parameters = [], responses } = operation;
  const payload = operation['x-payload'];
  const example = payload && exampleOf(payload, components.schemas);
  const call = operation.security?.length
    ? curlLine(method, path, example)
    : `curl -sS "$URL${path.replace(/\{(\w+)\}/g, (_, name: string) => `<${name.toUpperCase()}>`)}"`;
  const source = operation['x-source'];
  return `<article aria-labelledby="${id}"><h3 id="${id}">${escape(summary)}<a class="anchor" href="#${id}" aria-label="Link to ${escape(summary)}">#</a></h3>
<p class="path"><span class="method ${method}">${method}</span> <code>${escape(path)}</code>${source ? ` <span class="soft">${escape(source)}</span>` : ''}</p>
${markdown(description)}
${parametersTable(parameters.filter(({ in: place }) => place !== 'header'))}
${payload ? `<h4>Payload</h4>${members(resolved(payload, components.schemas), 'sent')}` : ''}
${code(call)}
${Object.entries(responses)
  .filter(([status]) => status.startsWith('2'))
  .map(([status, answer]) => success(status, answer as Answer))
  .join('\n')}
${refusals(Object.entries(responses), components.responses)}
</article>`;
}

/** Members of payloads may be required; members of answers may be missing. */
type Direction = 'sent' | 'answered';

function parametersTable(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, in: place, required, description, schema }) =>
    row(
      name,
      { ...schema, description },
      needOf('sent', required ?? false),
      place === 'path' ? 'in the path' : 'filter',
    ),
  );
  return `<h4>Parameters</h4>${table(rows)}`;
}

function success(status: string, { description, content = {} }: Answer): string {
  const [type = '', body] = Object.entries(content)[0] ?? [];
  if (!body) return `<h4>Answer ${status}</h4><p>${inline(description)}</p>`;
  const example =
    body.example === undefined
      ? ''
      : `<details><summary>Example</summary>${code(JSON.stringify(body.example, null, 2))}</details>`;
  return `<h4>Answer ${status}</h4><p>${inline(description)} ${type === 'application/json' ? shape(body.schema) : `<code>${escape(type)}</code>`}</p>${example}`;
}

/** `{ result: Invoice }` in a line, or the members of an unnamed answer. */
function shape(schema: JsonSchema): string {
  if (schema.$ref || schema.anyOf) return typeOf(schema);
  const inside = Object.entries(schema.properties ?? {}).map(
    ([name, member]) => `<code>${escape(name)}</code>: ${typeOf(member)}`,
  );
  return inside.length === 0 ? typeOf(schema) : `{ ${inside.join(', ')} }`;
}

function refusals(
  responses: readonly (readonly [string, Answer | { $ref: string }])[],
  shared: OpenApi['components']['responses'],
): string {
  const answers = responses
    .filter(([status]) => !status.startsWith('2'))
    .map(
      ([status, answer]) =>
        [status, '$ref' in answer ? shared[answer.$ref.split('/').at(-1) ?? ''] : answer] as const,
    );
  if (answers.length === 0) return '';
  const lines = answers.flatMap(([status, answer]) =>
    (answer?.description ?? '')
      .split('\n\n')
      .map((line) => `<tr><td>${status}</td><td>${inline(line)}</td></tr>`),
  );
  return `<details><summary>Errors</summary><div class="wide" tabindex="0"><table><thead><tr><th>Code</th><th>Reason</th></tr></thead><tbody>${lines.join('')}</tbody></table></div></details>`;
}

function object(name: string, schema: JsonSchema, direction: Direction): string {
  return `<article aria-labelledby="object-${name}"><h3 id="object-${name}">${name}<a class="anchor" href="#object-${name}" aria-label="Link to ${name}">#</a></h3>
<p>${inline(schema.description ?? '')}</p>
${members(schema, direction)}${schema.enum ? values(schema.enum) : ''}</article>`;
}

const values = (list: readonly unknown[]): string =>
  `<p class="values">${list.map((value) => `<code>${escape(String(value))}</code>`).join(' ')}</p>`;

function members(schema: JsonSchema, direction: Direction): string {
  const rows = rowsOf(schema, '', direction);
  return rows.length === 0 ? '' : table(rows);
}

/** A row for each member; unnamed inner objects are listed below, with their path. */
function rowsOf(
  { properties = {}, required = [] }: JsonSchema,
  prefix: string,
  direction: Direction,
): string[] {
  return Object.entries(properties).flatMap(([name, member]) => {
    const path = `${prefix}${name}`;
    const inside = member.properties
      ? rowsOf(member, `${path}.`, direction)
      : member.items?.properties
        ? rowsOf(member.items, `${path}[].`, direction)
        : [];
    return [row(path, member, needOf(direction, required.includes(name)), ''), ...inside];
  });
}

const table = (rows: readonly string[]): string =>
  `<div class="wide" tabindex="0"><table><thead><tr><th>Name</th><th>Type</th><th>Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;

function needOf(direction: Direction, required: boolean): string {
  if (direction === 'sent') return required ? ' <span class="needed">required</span>' : '';
  return required ? '' : ' <span class="soft">optional</span>';
}

function row(name: string, schema: JsonSchema, need: string, where: string): string {
  const limits = [where, ...limitsOf(schema)].filter((text) => text !== '').join('; ');
  return `<tr><td><code>${escape(name)}</code>${need}</td><td>${typeOf(schema)}${limits === '' ? '' : `<span class="limits">${escape(limits)}</span>`}</td><td>${inline(schema.description ?? '')}</td></tr>`;
}

function typeOf(schema: JsonSchema): string {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return `<a href="#object-${name}">${name}</a>`;
  }
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  if (schema.const !== undefined) return `<code>${escape(JSON.stringify(schema.const))}</code>`;
  if (typeof schema.additionalProperties === 'object')
    return `map to ${typeOf(schema.additionalProperties)}`;
  const types = [schema.type ?? 'any'].flat();
  return (
    escape(types.join(' or ')) +
    (schema.format === 'date-time'
      ? ' (time)'
      : schema.format === undefined
        ? ''
        : ` (${escape(schema.format)})`)
  );
}

function limitsOf(schema: JsonSchema): string[] {
  const {
    minimum,
    exclusiveMinimum,
    maximum,
    minLength,
    maxLength,
    minItems,
    maxItems,
    enum: values,
  } = schema;
  return [
    minimum === undefined && exclusiveMinimum === undefined
      ? ''
      : `from ${minimum ?? `above ${exclusiveMinimum}`}`,
    maximum === undefined ? '' : `up to ${maximum}`,
    minLength === undefined ? '' : `${minLength} or more characters`,
    maxLength === undefined ? '' : `up to ${maxLength} characters`,
    minItems === undefined && maxItems === undefined
      ? ''
      : `${minItems ?? 0} to ${maxItems ?? 'any number of'} items`,
    values === undefined ? '' : values.map(String).join(', '),
  ].filter((text) => text !== '');
}

function resolved(schema: JsonSchema, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return schema.$ref ? (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;
}

const code = (text: string): string => `<pre tabindex="0"><code>${escape(text)}</code></pre>`;
