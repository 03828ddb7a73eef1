import type { DescribedOperation } from './document.ts';
import type { JsonSchema } from './schema.ts';

interface PublicRoute {
  method: string;
  path: string;
  operation: DescribedOperation;
}

/** What is answered to everybody, without a signature. Control of the sandbox is left out: it answers the operator's own machine only. */
export const PUBLIC: readonly PublicRoute[] = [
  {
    method: 'GET',
    path: '/lnurl/:id/',
    operation: {
      operationId: 'lnurlPayRequest',
      tags: ['lnurl'],
      summary: 'Ask what an LNURL takes',
      description: 'By the id of an invoice of kind `BTC_LIGHTNING_LNURL`. Errors have the form of LUD-06, most with code 200.',
      parameters: [idParameter()],
      responses: {
        200: json(
          'What may be sent, in millisatoshi; or an error of LUD-06.',
          {
            anyOf: [
              {
                type: 'object',
                required: ['tag', 'callback', 'minSendable', 'maxSendable', 'metadata'],
                properties: {
                  tag: { const: 'payRequest', description: 'Always `payRequest`.' },
                  callback: { type: 'string', format: 'uri', description: 'Where to ask for the request to pay.' },
                  minSendable: { type: 'integer', description: 'Millisatoshi.' },
                  maxSendable: { type: 'integer', description: 'Millisatoshi.' },
                  metadata: { type: 'string', description: 'JSON, as LUD-06 says.' },
                },
              },
              lnurlError(),
            ],
          },
          {
            tag: 'payRequest',
            callback: 'https://pay.example/lnurl/8f1a4a2e-3c1d-4f6a-9d70-5a3e7d5b9c11/callback',
            minSendable: 99_500_000,
            maxSendable: 100_500_000,
            metadata: '[["text/plain","Invoice"]]',
          },
        ),
        404: json('There is no such invoice.', lnurlError(), { status: 'ERROR', reason: 'There is no LNURL invoice with this id.' }),
      },
    },
  },
  {
    method: 'GET',
    path: '/lnurl/:id/callback/',
    operation: {
      operationId: 'lnurlCallback',
      tags: ['lnurl'],
      summary: 'Ask for the request to pay',
      description: 'The same amount asked for again, while a request waits, gives the same request.',
      parameters: [
        idParameter(),
        {
          name: 'amount',
          in: 'query',
          required: true,
          description: 'Millisatoshi, within the bounds.',
          schema: { type: 'integer', minimum: 1 },
        },
      ],
      responses: {
        200: json(
          'A request to pay, or an error of LUD-06.',
          {
            anyOf: [
              {
                type: 'object',
                required: ['pr', 'routes'],
                properties: {
                  pr: { type: 'string', description: 'A BOLT11 request.' },
                  routes: { type: 'array', maxItems: 0, items: {}, description: 'Always empty.' },
                },
              },
              lnurlError(),
            ],
          },
          { pr: 'lntb1m1p…', routes: [] },
        ),
        404: json('There is no such invoice.', lnurlError(), { status: 'ERROR', reason: 'There is no LNURL invoice with this id.' }),
      },
    },
  },
  probe(
    '/livez/',
    'livez',
    'Whether the process lives',
    { type: 'object', required: ['status'], properties: { status: { const: 'alive', description: 'Always `alive`.' } } },
    {
      status: 'alive',
    },
  ),
  readyz(),
  document('/openapi.json/', 'openapi', 'This description, as OpenAPI 3.1', 'application/json'),
  document('/reference/', 'reference', 'This description, as a page to read', 'text/html'),
];

function idParameter() {
  return {
    name: 'id',
    in: 'path' as const,
    required: true,
    description: 'The id of the invoice.',
    schema: { type: 'string', format: 'uuid' },
  };
}

function json(description: string, schema: JsonSchema, example: unknown) {
  return { description, content: { 'application/json': { schema, example } } };
}

function lnurlError(): JsonSchema {
  return {
    type: 'object',
    required: ['status', 'reason'],
    properties: {
      status: { const: 'ERROR', description: 'Always `ERROR`.' },
      reason: { type: 'string', description: 'What a wallet may show.' },
    },
  };
}

function probe(path: string, operationId: string, summary: string, schema: JsonSchema, example: unknown): PublicRoute {
  return {
    method: 'GET',
    path,
    operation: { operationId, tags: ['service'], summary, responses: { 200: json('It does.', schema, example) } },
  };
}

function readyz(): PublicRoute {
  const schema: JsonSchema = {
    type: 'object',
    required: ['status', 'database', 'chains'],
    properties: {
      status: { enum: ['ready', 'not ready'], description: '`ready` when the database and every chain answer.' },
      database: { type: 'boolean', description: 'Whether the database answers.' },
      chains: {
        type: 'object',
        description: 'Every chain by its name.',
        additionalProperties: {
          type: 'object',
          required: ['ok', 'tip', 'detail'],
          properties: {
            ok: { type: 'boolean', description: 'Whether it answers.' },
            tip: { type: ['integer', 'null'], description: 'Height of the newest block.' },
            detail: { type: ['string', 'null'], description: 'What is wrong.' },
          },
        },
      },
    },
  };
  const example = { status: 'ready', database: true, chains: { bitcoin: { ok: true, tip: 101, detail: null } } };
  return {
    method: 'GET',
    path: '/readyz/',
    operation: {
      operationId: 'readyz',
      tags: ['service'],
      summary: 'Whether requests can be served',
      responses: {
        200: json('They can.', schema, example),
        503: json('They can not.', schema, { status: 'not ready', database: false, chains: {} }),
      },
    },
  };
}

function document(path: string, operationId: string, summary: string, type: string): PublicRoute {
  const description = 'It. With an `ETag`; 304 when it is as `If-None-Match` says.';
  return {
    method: 'GET',
    path,
    operation: {
      operationId,
      tags: ['service'],
      summary,
      responses: { 200: { description, content: { [type]: { schema: { type: type === 'text/html' ? 'string' : 'object' } } } } },
    },
  };
}
