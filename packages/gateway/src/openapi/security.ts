/** How a request is signed (§5), as the description tells it. */
export const SIGNING = `Every request under \`/v1/\` carries three headers and no body.

| Header | Value |
|---|---|
| \`X-CC-KEY\` | The API key. |
| \`X-CC-PAYLOAD\` | Base64 (standard alphabet, with padding, no line breaks) of a JSON object: \`request\`, \`nonce\`, and the members of the endpoint. |
| \`X-CC-SIGNATURE\` | Lower-case hex of HMAC-SHA256 over exactly the text of \`X-CC-PAYLOAD\`, keyed with the API secret. |

\`request\` is the path with its trailing slash, without the query. \`nonce\` is an integer (or a string of up to 38 digits) that is greater with every request of the key; a time in milliseconds or finer will do. It is used up by the first request with a right signature, whatever becomes of that. \`method\` is optional: with it the signature is good for this method only. Unknown members are ignored.`;

/** Headers of a signed request; one needs all three. */
export const SECURITY_SCHEMES = {
  key: { type: 'apiKey', in: 'header', name: 'X-CC-KEY', description: 'The API key.' },
  payload: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CC-PAYLOAD',
    description: 'Base64 of the JSON payload: `request` (the path), `nonce` (greater with every request) and the members of the endpoint.',
  },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-CC-SIGNATURE',
    description: 'Lower-case hex of HMAC-SHA256 over the text of `X-CC-PAYLOAD`, keyed with the API secret.',
  },
} as const;

/** Members of every payload. */
export const SIGNED_REQUEST = {
  type: 'object',
  description: 'What every payload has.',
  required: ['request', 'nonce'],
  properties: {
    request: {
      type: 'string',
      description: 'The path that is requested, with its trailing slash and without a query.',
      examples: ['/v1/invoices/'],
    },
    nonce: {
      type: ['integer', 'string'],
      pattern: '^\\d{1,38}$',
      description: 'Greater than every earlier one of the key; as a string with up to 38 digits.',
      examples: [1_795_219_200_000],
    },
    method: { type: ['string', 'null'], description: 'The method that is used; refused with any other. Optional.', examples: ['POST'] },
  },
};
