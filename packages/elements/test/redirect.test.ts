import { expect } from '@open-wc/testing';
import { render } from 'lit';
import { later } from '../src/later.ts';
import { drawStage } from '../src/panel.ts';
import { checkout } from './fixture.ts';

describe('a shop that wants the hosted page', () => {
  // As long as nothing has fetched the rest, or nothing could.
  it('gets a bare link to it where the code for more cannot be had, and nothing to pay in its own page', () => {
    const place = document.createElement('div');
    const page = 'https://pay.example/pay/c1/';
    const drawn = drawStage({
      host: place,
      checkout: checkout('pay'),
      language: 'en',
      url: 'https://pay.example/checkouts/c1',
      page,
      redirect: true,
      show: 'stage',
      moreTime: false,
      busy: false,
      onLeave: () => undefined,
    });
    expect(later()).to.equal(undefined);
    render(drawn, place);
    expect(place.textContent?.trim()).to.equal(page);
    expect(place.querySelector('a')!.href).to.equal(page);
  });
});
