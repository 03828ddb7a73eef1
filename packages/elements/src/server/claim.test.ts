import { expect } from '@open-wc/testing';
import { heldClaims, newClaims } from './checkout-server.ts';
import { claimOf, keepClaims } from './claim.ts';

const KEY = 'crypto-checkout-claims';
const DAY_MS = 24 * 3_600_000;
function keepClaim(id: string, secret: string): void {
  newClaims.set(id, secret);
  keepClaims();
}
const kept = (): unknown[][] => JSON.parse(localStorage.getItem(KEY) ?? '[]') as unknown[][];

describe('claim secrets', () => {
  beforeEach(() => localStorage.removeItem(KEY));
  after(() => localStorage.removeItem(KEY));

  it('are kept, one for each checkout, the newest fifty', () => {
    for (let at = 0; at < 60; at += 1) keepClaim(`c${at}`, `secret ${at}`);
    keepClaim('c59', 'another');
    expect(kept()).to.have.length(50);
    expect([claimOf('c59'), claimOf('c10'), claimOf('c9')]).to.deep.equal([
      'another',
      'secret 10',
      null,
    ]);
  });

  it('end after four hundred days, and an answer without one keeps nothing', () => {
    const now = Date.now();
    localStorage.setItem(
      KEY,
      JSON.stringify([
        ['young', 'a', now - 399 * DAY_MS],
        ['old', 'b', now - 401 * DAY_MS],
      ]),
    );
    expect([claimOf('young'), claimOf('old')]).to.deep.equal(['a', null]);
    keepClaims();
    expect(kept()).to.have.length(2);
    keepClaim('new', 'c');
    expect(kept().map(([id]) => id)).to.deep.equal(['new', 'young']);
  });

  it('survive what other scripts wrote into the storage', () => {
    for (const text of ['', '{', '"x"', '{"a":1}', '[null]']) {
      localStorage.setItem(KEY, text);
      expect(claimOf('c')).to.equal(null);
      keepClaim('c', 'secret');
      expect(claimOf('c')).to.equal('secret');
    }
  });

  it('are held for the page where the browser stores nothing', () => {
    const { setItem } = Storage.prototype;
    Storage.prototype.setItem = () => {
      throw new DOMException('denied', 'SecurityError');
    };
    keepClaim('blocked', 'secret');
    Storage.prototype.setItem = setItem;
    expect([claimOf('blocked'), kept()]).to.deep.equal(['secret', []]);
  });

  it('are held for one page without being stored', () => {
    heldClaims.set('framed', 'secret');
    expect([claimOf('framed'), kept()]).to.deep.equal(['secret', []]);
  });
});
