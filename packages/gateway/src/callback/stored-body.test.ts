import { describe, expect, it } from 'vitest';
import { sentBody, storedBody } from './stored-body.ts';

const head = {
  callback_id: '0f8fad5b-d9cb-469f-a165-70867728950e',
  callback_status: 'invoice_paid',
  signature: 'ab12',
};

describe('a callback’s body', () => {
  it.each([
    { id: 'a' },
    { id: 'a', notes: ',"result":{}', passthrough: ',"invoice":' },
    { id: 'a', notes: '}', passthrough: '":' },
    { id: 'é€😀"\\\n' },
    {},
  ])('is sent as if it was stored completely: %j', (shown) => {
    const whole = JSON.stringify({ ...head, result: shown, invoice: shown });
    const stored = storedBody(head, 'invoice', shown);
    expect(sentBody(stored)).toBe(whole);
    expect(stored.length).toBeLessThan(whole.length);
  });

  it('that was stored completely is sent unchanged', () => {
    const whole = JSON.stringify({ ...head, result: { id: 'a' }, invoice: { id: 'a' } });
    expect(sentBody(whole)).toBe(whole);
  });
});
