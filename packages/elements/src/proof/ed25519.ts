/**
 * Verifies Ed25519 signatures (RFC 8032, section 5.1.7) where WebCrypto can't: browsers from before
 * 2025. It only verifies, from public values, so its time may depend on them.
 */

type Point = readonly [x: bigint, y: bigint, z: bigint, t: bigint];

const P = 2n ** 255n - 19n;
/** The order of the base point. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;

const mod = (value: bigint, by = P): bigint => ((value % by) + by) % by;

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let square = base, rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = mod(result * square);
    square = mod(square * square);
  }
  return result;
}

const D = mod(-121665n * power(121666n, P - 2n));
/** A square root of -1. */
const I = power(2n, (P - 1n) / 4n);
const ZERO: Point = [0n, 1n, 1n, 0n];
const BASE = decompress(mod(4n * power(5n, P - 2n)), false)!;

/**
 * @param digest SHA-512
 * @returns false for every signature and key that is not valid, or not in its one canonical form
 */
export async function verifyEd25519(
  publicKey: Uint8Array,
  signature: Uint8Array,
  message: Uint8Array,
  digest: (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>,
): Promise<boolean> {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  const first = signature.subarray(0, 32);
  const [key, commitment] = [pointOf(publicKey), pointOf(first)];
  const s = numberOf(signature.subarray(32));
  if (!key || !commitment || s >= L) return false;
  const hash = await digest(new Uint8Array([...first, ...publicKey, ...message]));
  const k = mod(numberOf(hash), L);
  return isEqual(times(BASE, s), add(commitment, times(key, k)));
}

/** Little-endian. */
const numberOf = (bytes: Uint8Array): bigint =>
  bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

function pointOf(bytes: Uint8Array): Point | null {
  const value = numberOf(bytes);
  return decompress(value & (2n ** 255n - 1n), value >> 255n === 1n);
}

/** RFC 8032, section 5.1.3. */
function decompress(y: bigint, odd: boolean): Point | null {
  if (y >= P) return null;
  const [u, v] = [mod(y * y - 1n), mod(D * y * y + 1n)];
  let x = mod(u * power(v, 3n) * power(u * power(v, 7n), (P - 5n) / 8n));
  if (mod(v * x * x) !== u) x = mod(x * I);
  if (mod(v * x * x) !== u || (x === 0n && odd)) return null;
  if (((x & 1n) === 1n) !== odd) x = P - x;
  return [x, y, 1n, mod(x * y)];
}

/** RFC 8032, section 5.1.4; it also doubles. */
function add([x1, y1, z1, t1]: Point, [x2, y2, z2, t2]: Point): Point {
  const a = mod((y1 - x1) * (y2 - x2));
  const b = mod((y1 + x1) * (y2 + x2));
  const c = mod(2n * D * t1 * t2);
  const d = mod(2n * z1 * z2);
  const [e, f, g, h] = [b - a, d - c, d + c, b + a];
  return [mod(e * f), mod(g * h), mod(f * g), mod(e * h)];
}

function times(point: Point, factor: bigint): Point {
  let result = ZERO;
  for (let doubled = point, rest = factor; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = add(result, doubled);
    doubled = add(doubled, doubled);
  }
  return result;
}

const isEqual = ([x1, y1, z1]: Point, [x2, y2, z2]: Point): boolean =>
  mod(x1 * z2 - x2 * z1) === 0n && mod(y1 * z2 - y2 * z1) === 0n;
