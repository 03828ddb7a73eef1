import { expect } from '@open-wc/testing';
import { render } from 'lit';
import { statusModule } from '../../core/lazy-registry.ts';
import { drawStage } from './stage.ts';
import { checkout } from '../../../test/support/fixture.ts';

describe('mode="redirect"', () => {
  // The status module is not loaded in this test.
  it('draws a plain link without the status module, and no payment details', () => {
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
    expect(statusModule()).to.equal(undefined);
    render(drawn, place);
    expect(place.textContent?.trim()).to.equal(page);
    expect(place.querySelector('a')!.href).to.equal(page);
  });
});
