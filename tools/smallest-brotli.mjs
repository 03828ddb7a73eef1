import { brotliCompressSync, constants } from 'node:zlib';

/** Distances that have a code of their own, as a multiple of the step. */
const DIRECT = [0, 8, 15];

/**
 * The smallest of twelve encodings at brotli's highest quality. They differ in how distances are
 * written (NPOSTFIX and NDIRECT, RFC 7932, section 4), and which one is the smallest depends on the
 * file: it saves 48 B of the embed script and 61 B of the hosted page's (measured 2026-11-29,
 * `npm run bench -- page element`).
 * @param {Buffer} body
 */
export const smallestBrotli = (body) =>
  [0, 1, 2, 3]
    .flatMap((postfix) =>
      DIRECT.map((direct) =>
        brotliCompressSync(body, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: 11,
            [constants.BROTLI_PARAM_NPOSTFIX]: postfix,
            [constants.BROTLI_PARAM_NDIRECT]: direct << postfix,
          },
        }),
      ),
    )
    .reduce((best, one) => (one.length < best.length ? one : best));
