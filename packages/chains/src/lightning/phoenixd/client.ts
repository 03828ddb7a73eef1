import { z } from 'zod';
import { LoginError, UnavailableError } from '../../error.ts';
import { createHttp, refusalOf, type HttpOptions, type HttpRequest } from '../../rpc/http.ts';
import * as answers from './answers.ts';
import type { PhoenixdPayment } from './answers.ts';

export interface PhoenixdOptions extends Pick<HttpOptions, 'timeoutMs'> {
  url: string;
  /** `http-password-limited-access`: it makes and reads invoices, and cannot pay. */
  password: string;
}

/** The calls of phoenixd that receiving needs. */
export interface Phoenixd {
  info(): Promise<z.output<typeof answers.nodeInfo>>;
  createInvoice(
    invoice: Readonly<Record<string, string>>,
  ): Promise<z.output<typeof answers.createdInvoice>>;
  /** Payments that came in from this time on, newest first. */
  incoming(fromMs: number): Promise<PhoenixdPayment[]>;
  /** Whether the password may pay. Nothing is paid for the answer. */
  canPay(): Promise<boolean>;
}

const PAGE = 100;
/** A list that does not end is no list. */
const MAX_PAGES = 1_000;
const FORM = 'application/x-www-form-urlencoded';

/** A client of phoenixd's HTTP interface: the password by basic authentication, forms as bodies. */
export function createPhoenixd({ url, password, timeoutMs = 10_000 }: PhoenixdOptions): Phoenixd {
  const http = createHttp({ url, user: '', password, timeoutMs, attempts: 1 });

  const ask = <T>(
    request: Omit<HttpRequest<T>, 'read'> & { path: string },
    answer: z.ZodType<T>,
  ): Promise<T> =>
    http.send({
      ...request,
      read: ({ status, bytes }) => {
        const refusal = refusalOf(status);
        if (refusal !== null) throw refusal;
        const parsed = answer.safeParse(contentOf(bytes));
        if (parsed.success) return parsed.data;
        throw new UnavailableError(`The node returned an unexpected answer for ${request.path}`, {
          cause: new Error(http.redact(parsed.error.message)),
        });
      },
    });

  async function incoming(fromMs: number): Promise<PhoenixdPayment[]> {
    const path = '/payments/incoming';
    const found: PhoenixdPayment[] = [];
    for (let page = 0; page < MAX_PAGES; page += 1) {
      // A payment that comes meanwhile moves the list: one is seen twice, and none is missed.
      const query = { from: String(fromMs), limit: String(PAGE), offset: String(page * PAGE) };
      const listed = await ask({ method: 'GET', path, query }, answers.paymentList);
      found.push(...listed.payments);
      if (listed.length < PAGE) return found;
    }
    throw new UnavailableError('The node repeats its list of payments');
  }

  return {
    info: () => ask({ method: 'GET', path: '/getinfo' }, answers.nodeInfo),
    createInvoice: (invoice) =>
      ask(
        {
          method: 'POST',
          path: '/createinvoice',
          body: new URLSearchParams(invoice).toString(),
          contentType: FORM,
        },
        answers.createdInvoice,
      ),
    incoming,
    async canPay() {
      try {
        return await http.send({
          method: 'POST',
          path: '/payinvoice',
          body: '',
          contentType: FORM,
          read: ({ status }) => {
            if (status === 403) return false;
            // For a password that may pay, the answer is that the request to pay is missing.
            if (status === 400) return true;
            throw refusalOf(status) ?? new UnavailableError('The node answers like no phoenixd');
          },
        });
      } catch (error) {
        if (error instanceof LoginError) return false;
        throw error;
      }
    },
  };
}

function contentOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}
