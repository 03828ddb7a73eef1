import { expectTypeOf, it } from 'vitest';
import type * as shown from '@crypto-checkout/protocol/dashboard';
import type { presentAlarm } from '../alarm/present.ts';
import type { readFunding } from './funding.ts';
import type { getCallback, listCallbacks } from '../callback/list.ts';
import type { resendCallbackById } from '../callback/resend.ts';
import type { pagination } from '../http/pagination.ts';
import type { presentPayout } from '../payout/present.ts';
import type { presentProfile } from '../profile/present.ts';
import type { readSession } from './api.ts';
import type { readAttention } from './attention.ts';
import type { readBalances } from './balance-history.ts';
import type { presentInvoices, presentRefunds, presentTransactions } from './present.ts';
import type { readRules } from './rules.ts';
import type { readSales } from './sales.ts';

// The API's presentations are larger than the dashboard's types. A member that is renamed on one
// side only is a type error here.

it('the presentations extend the types of the dashboard', () => {
  expectTypeOf<Answer<typeof readSession>>().toExtend<shown.Session>();
  expectTypeOf<Answer<typeof readAttention>>().toExtend<shown.Attention>();
  expectTypeOf<Answer<typeof readBalances>>().toExtend<shown.Balances>();
  expectTypeOf<Answer<typeof readSales>>().toExtend<shown.Sales>();
  expectTypeOf<Answer<typeof readRules>>().toExtend<shown.Rules>();
  expectTypeOf<Answer<typeof presentInvoices>>().toExtend<shown.ListedInvoice[]>();
  expectTypeOf<Answer<typeof presentTransactions>>().toExtend<shown.Transaction[]>();
  expectTypeOf<Answer<typeof presentPayout>>().toExtend<shown.Payout>();
  expectTypeOf<Answer<typeof presentRefunds>>().toExtend<shown.Refund[]>();
  expectTypeOf<Answer<typeof presentProfile>>().toExtend<shown.Profile>();
  expectTypeOf<Answer<typeof listCallbacks>['rows'][number]>().toExtend<shown.ListedCallback>();
  expectTypeOf<NonNullable<Answer<typeof getCallback>>>().toExtend<shown.Callback>();
  expectTypeOf<Answer<typeof presentAlarm>>().toExtend<shown.Alarm>();
  expectTypeOf<Answer<typeof readFunding>>().toExtend<shown.Funding[]>();
  expectTypeOf<Answer<typeof resendCallbackById>>().toExtend<{ status: string; message: string }>();
  expectTypeOf<Answer<typeof pagination>>().toExtend<shown.Page<unknown>['pagination']>();
});

type Answer<Verb extends (...input: never[]) => unknown> = Awaited<ReturnType<Verb>>;
