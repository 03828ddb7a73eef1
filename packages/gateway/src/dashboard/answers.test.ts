import { expectTypeOf, it } from 'vitest';
import type * as shown from '../../../dashboard/src/answers.ts';
import type { takeAlarm } from '../alarm/store.ts';
import type { getCallback, listCallbacks } from '../callback/list.ts';
import type { resendCallbackById } from '../callback/resend.ts';
import type { pagination } from '../http/pagination.ts';
import type { presentInvoice, presentListedInvoice } from '../invoice/present.ts';
import type { presentPayout } from '../payout/present.ts';
import type { presentProfile } from '../profile/present.ts';
import type { presentTransaction } from '../transaction/present.ts';
import type { readSession } from './api.ts';
import type { readAttention } from './attention.ts';
import type { readBalances } from './balance-history.ts';
import type { readRules } from './rules.ts';

// The dashboard's page imports nothing of the gateway, and the gateway nothing of it: only this test knows both sides of the wall. The
// compiler holds what is answered against what is shown; a member that is renamed here and not there is a mistake of types.

it('the dashboard shows what the gateway answers', () => {
  expectTypeOf<Answer<typeof readSession>>().toExtend<shown.Session>();
  expectTypeOf<Answer<typeof readAttention>>().toExtend<shown.Attention>();
  expectTypeOf<Answer<typeof readBalances>>().toExtend<shown.Balances>();
  expectTypeOf<Answer<typeof readRules>>().toExtend<shown.Rules>();
  expectTypeOf<Answer<typeof presentListedInvoice>>().toExtend<shown.ListedInvoice>();
  expectTypeOf<Answer<typeof presentInvoice> & { transactions: Answer<typeof presentTransaction>[] }>().toExtend<shown.Invoice>();
  expectTypeOf<Answer<typeof presentTransaction>>().toExtend<shown.Transaction>();
  expectTypeOf<Answer<typeof presentPayout>>().toExtend<shown.Payout>();
  expectTypeOf<Answer<typeof presentProfile>>().toExtend<shown.Profile>();
  expectTypeOf<Answer<typeof listCallbacks>['rows'][number]>().toExtend<shown.ListedCallback>();
  expectTypeOf<NonNullable<Answer<typeof getCallback>>>().toExtend<shown.Callback>();
  expectTypeOf<NonNullable<Answer<typeof takeAlarm>>>().toExtend<shown.Alarm>();
  expectTypeOf<Answer<typeof resendCallbackById>>().toExtend<{ status: string; message: string }>();
  expectTypeOf<Answer<typeof pagination>>().toExtend<shown.Page<unknown>['pagination']>();
});

type Answer<Verb extends (...input: never[]) => unknown> = Awaited<ReturnType<Verb>>;
