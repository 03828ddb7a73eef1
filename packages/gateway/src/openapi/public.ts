import type { DescribedOperation } from './described-operation.ts';
import { sharedAnswer } from './error.ts';
import type { JsonSchema } from './schema.ts';

const INVALID = sharedAnswer(400);
/** Of every public route with a limit for each address. */
const LIMITED = { 429: sharedAnswer(429) };

interface PublicRoute {
  method: string;
  path: string;
  operation: DescribedOperation;
}

const READINESS: JsonSchema = {
  type: 'object',
  required: ['status', 'database', 'chains'],
  properties: {
    status: {
      enum: ['ready', 'not ready'],
      description: '`ready` when the database and every chain answer, and every chain is scanned.',
    },
    database: { type: 'boolean', description: 'True when the database answers.' },
    chains: {
      type: 'object',
      description: 'State of each chain, by its name.',
      additionalProperties: {
        type: 'object',
        required: ['ok', 'tip', 'scanned_height', 'scanned_age_seconds', 'detail'],
        properties: {
          ok: {
            type: 'boolean',
            description: 'True when the chain answers and its scan goes on.',
          },
          tip: {
            type: ['integer', 'null'],
            description: 'Height of the newest block; null without an answer.',
          },
          scanned_height: {
            type: ['integer', 'null'],
            description: 'Height up to which payments were looked for; null before the first scan.',
          },
          scanned_age_seconds: {
            type: 'integer',
            description: 'Seconds since the last successful scan, at most since the start.',
          },
          detail: {
            type: ['string', 'null'],
            description: 'Description of the problem; null without one.',
          },
        },
      },
    },
  },
};

/**
 * Public endpoints, without a signature. Sandbox control is left out: it answers the operator's own
 * machine only.
 */
export const PUBLIC: readonly PublicRoute[] = [
  {
    method: 'GET',
    path: '/lnurl/:id/',
    operation: {
      operationId: 'lnurlPayRequest',
      tags: ['lnurl'],
      summary: 'Get the payment parameters of an LNURL',
      description:
        'Takes the id of an invoice of kind `BTC_LIGHTNING_LNURL`. Errors have the format of LUD-06, most with code 200.',
      parameters: [idParameter()],
      responses: {
        ...LIMITED,
        200: json(
          'Allowed amounts in millisatoshi, or an error of LUD-06.',
          {
            anyOf: [
              {
                type: 'object',
                required: ['tag', 'callback', 'minSendable', 'maxSendable', 'metadata'],
                properties: {
                  tag: { const: 'payRequest', description: 'Always `payRequest`.' },
                  callback: {
                    type: 'string',
                    format: 'uri',
                    description: 'URL that returns the payment request.',
                  },
                  minSendable: {
                    type: 'integer',
                    description: 'Smallest amount, in millisatoshi.',
                  },
                  maxSendable: { type: 'integer', description: 'Largest amount, in millisatoshi.' },
                  metadata: { type: 'string', description: 'JSON text in the format of LUD-06.' },
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
        404: json('The invoice does not exist.', lnurlError(), {
          status: 'ERROR',
          reason: 'There is no LNURL invoice with this id.',
        }),
      },
    },
  },
  {
    method: 'GET',
    path: '/lnurl/:id/callback/',
    operation: {
      operationId: 'lnurlCallback',
      tags: ['lnurl'],
      summary: 'Get the payment request of an LNURL',
      description: 'The same amount returns the same request while it is unpaid and valid.',
      parameters: [
        idParameter(),
        {
          name: 'amount',
          in: 'query',
          required: true,
          description: 'Amount in millisatoshi, between `minSendable` and `maxSendable`.',
          schema: { type: 'integer', minimum: 1 },
        },
      ],
      responses: {
        ...LIMITED,
        200: json(
          'A payment request, or an error of LUD-06.',
          {
            anyOf: [
              {
                type: 'object',
                required: ['pr', 'routes'],
                properties: {
                  pr: { type: 'string', description: 'BOLT11 payment request.' },
                  routes: { type: 'array', maxItems: 0, items: {}, description: 'Always empty.' },
                },
              },
              lnurlError(),
            ],
          },
          { pr: 'lntb1m1p…', routes: [] },
        ),
        404: json('The invoice does not exist.', lnurlError(), {
          status: 'ERROR',
          reason: 'There is no LNURL invoice with this id.',
        }),
      },
    },
  },
  {
    method: 'GET',
    path: '/.well-known/crypto-checkout-keys/:id/',
    operation: {
      operationId: 'accountKeys',
      tags: ['service'],
      summary: 'Get the public keys of an account',
      description:
        'The keys that verify address proofs and receipts, as a JWK Set (RFC 7517): the current one first, then the previous one.',
      parameters: [
        {
          ...idParameter(),
          description: 'The id of the account, followed by `.json`.',
          schema: { type: 'string' },
        },
      ],
      responses: {
        ...LIMITED,
        200: json('The keys.', jwks(), {
          keys: [
            {
              kty: 'OKP',
              crv: 'Ed25519',
              x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
              kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
            },
          ],
        }),
        404: json(
          'There is no such account.',
          { $ref: '#/components/schemas/Error' },
          {
            result: 'error',
            reason: 'NotFound',
            message: 'There are no keys at this path.',
            request_id: '5f0c6f0e-0b5a-4b8e-9d6d-3f6b5a2e7c11',
          },
        ),
      },
    },
  },
  probe(
    '/livez/',
    'livez',
    'Check that the process runs',
    'Asks neither the database nor a chain. Not limited.',
    {
      type: 'object',
      required: ['status'],
      properties: { status: { const: 'alive', description: 'Always `alive`.' } },
    },
    {
      status: 'alive',
    },
  ),
  readyz(),
  document('/openapi.json/', {
    operationId: 'openapi',
    summary: 'Get this description as OpenAPI 3.1',
    description: 'For programs and generators. Every web page may read it (CORS).',
    type: 'application/json',
  }),
  document('/reference/', {
    operationId: 'reference',
    summary: 'Get this description as a web page',
    description: 'For people, with examples and a search.',
    type: 'text/html',
  }),
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

function jwks(): JsonSchema {
  const members = {
    kty: { const: 'OKP', description: 'Always `OKP`.' },
    crv: { const: 'Ed25519', description: 'Always `Ed25519`.' },
    x: { type: 'string', description: 'The public key, as base64url.' },
    kid: { type: 'string', description: 'JWK thumbprint (RFC 7638) of the key.' },
  };
  return {
    type: 'object',
    required: ['keys'],
    properties: {
      keys: {
        type: 'array',
        description: 'The keys.',
        items: { type: 'object', required: Object.keys(members), properties: members },
      },
    },
  };
}

function lnurlError(): JsonSchema {
  return {
    type: 'object',
    required: ['status', 'reason'],
    properties: {
      status: { const: 'ERROR', description: 'Always `ERROR`.' },
      reason: { type: 'string', description: 'Text for the user of the wallet.' },
    },
  };
}

function probe(
  path: string,
  operationId: string,
  summary: string,
  description: string,
  schema: JsonSchema,
  example: unknown,
): PublicRoute {
  return {
    method: 'GET',
    path,
    operation: {
      operationId,
      tags: ['service'],
      summary,
      description,
      responses: { 200: json('The process runs.', schema, example), 400: INVALID },
    },
  };
}

function readyz(): PublicRoute {
  const example = {
    status: 'ready',
    database: true,
    chains: {
      bitcoin: { ok: true, tip: 101, scanned_height: 101, scanned_age_seconds: 0, detail: null },
    },
  };
  return {
    method: 'GET',
    path: '/readyz/',
    operation: {
      operationId: 'readyz',
      tags: ['service'],
      summary: 'Check that the service can handle requests',
      description: 'Asks the database and every chain. For load balancers. Not limited.',
      responses: {
        400: INVALID,
        200: json('The service can handle requests.', READINESS, example),
        503: json('The service cannot handle requests.', READINESS, {
          status: 'not ready',
          database: false,
          chains: {},
        }),
      },
    },
  };
}

function document(
  path: string,
  {
    type,
    ...operation
  }: Required<Pick<DescribedOperation, 'operationId' | 'summary' | 'description'>> & {
    type: string;
  },
): PublicRoute {
  const description = 'The description, with an `ETag`; 304 when `If-None-Match` has the same tag.';
  return {
    method: 'GET',
    path,
    operation: {
      ...operation,
      tags: ['service'],
      responses: {
        ...LIMITED,
        200: {
          description,
          content: { [type]: { schema: { type: type === 'text/html' ? 'string' : 'object' } } },
        },
      },
    },
  };
}
