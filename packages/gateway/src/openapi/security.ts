/** Explanation of request signatures, in Markdown. */
export const SIGNING = `Every request under \`/v1/\` carries three headers and no body.

| Header | Value |
|---|---|
| \`X-CC-KEY\` | The API key. |
| \`X-CC-PAYLOAD\` | Base64 (standard alphabet, with padding, no line breaks) of a JSON object: \`request\`, \`nonce\`, and the members of the endpoint. |
| \`X-CC-SIGNATURE\` | Lower-case hex of HMAC-SHA256 over exactly the text of \`X-CC-PAYLOAD\`, keyed with the API secret. |

\`request\` is the path with its trailing slash, without the query. \`nonce\` is an integer (or a string of up to 38 digits) that increases with every request of the key, for example the time in milliseconds or finer. The first request with a valid signature uses it up, even if that request fails. \`method\` is optional: with it the signature is valid for this method only. Unknown members are ignored.`;

/** Headers of a signed request; all three are required. */
export const SECURITY_SCHEMES = {
  key: { type: 'apiKey', in: 'header', name: 'X-CC-KEY', description: 'The API key.' },
  payload: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CC-PAYLOAD',
    description:
      'Base64 of the JSON payload: `request` (the path), `nonce` (increases with every request) and the members of the endpoint.',
  },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CC-SIGNATURE',
    description:
      'Lower-case hex of HMAC-SHA256 over the text of `X-CC-PAYLOAD`, keyed with the API secret.',
  },
} as const;

/** Members of every payload. */
export const SIGNED_REQUEST = {
  type: 'object',
  description: 'Members of every payload.',
  required: ['request', 'nonce'],
  properties: {
    request: {
      type: 'string',
      description: 'Path of the request, with its trailing slash and without the query.',
      examples: ['/v1/invoices/'],
    },
    nonce: {
      type: ['integer', 'string'],
      pattern: '^\\d{1,38}$',
      description:
        'Greater than every earlier nonce of the key; as a string it can have up to 38 digits.',
      examples: [1_795_219_200_000],
    },
    method: {
      type: ['string', 'null'],
      description: 'Method of the request, optional: a request with another method is rejected.',
      examples: ['POST'],
    },
  },
};
