import type { ElementFile, HostAbilities } from '../options.ts';

type Coding = 'br' | 'gzip';

/** The bytes of an answer, with the headers that describe their coding. */
export interface Coded {
  body: Uint8Array<ArrayBuffer> | string;
  headers: Record<string, string>;
}

/** A file in the best coding that the client accepts, compressed at build time or at start. */
export function codedFile(file: ElementFile, accepted: string | undefined): Coded {
  if (file.brotli && accepts(accepted, 'br')) return coded(file.brotli, 'br');
  if (file.gzip && accepts(accepted, 'gzip')) return coded(file.gzip, 'gzip');
  return { body: file.body, headers: {} };
}

/** A text in the best coding that both the host and the client have. */
export function codedText(
  text: string,
  { brotli, gzip }: HostAbilities = {},
  accepted: string | undefined,
): Coded {
  if (brotli && accepts(accepted, 'br')) return coded(brotli(text), 'br');
  if (gzip && accepts(accepted, 'gzip')) return coded(gzip(text), 'gzip');
  return { body: text, headers: {} };
}

const coded = (body: Uint8Array<ArrayBuffer>, coding: Coding): Coded => ({
  body,
  headers: { 'content-encoding': coding },
});

/** Whether `Accept-Encoding` allows the coding (RFC 9110); `*` stands for those that it omits. */
export function accepts(accepted: string | undefined, coding: Coding): boolean {
  const weights = new Map(
    (accepted ?? '').split(',').map((item) => {
      const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
      return [name, weight === undefined || !/=\s*0(?:\.0*)?$/.test(weight)] as const;
    }),
  );
  return weights.get(coding) ?? weights.get('*') ?? false;
}
