import { expect } from '@open-wc/testing';
import { focusAndReveal } from './focus.ts';

describe('focusAndReveal', () => {
  let host: HTMLElement;

  /** A heading at a height of the page, with a code below it. */
  async function reveal(top: number, gap: number): Promise<{ heading: DOMRect; code: DOMRect }> {
    host = document.body.appendChild(document.createElement('div'));
    host.attachShadow({ mode: 'open' }).innerHTML = `<div style="block-size: ${top}px"></div>
      <h2 tabindex="-1" style="margin: 0; block-size: 30px">Send exactly</h2>
      <div style="block-size: ${gap}px"></div>
      <crypto-qr style="display: block; block-size: 100px"></crypto-qr>
      <div style="block-size: 3000px"></div>`;
    const heading = host.shadowRoot!.querySelector('h2')!;
    await focusAndReveal(heading);
    expect(host.shadowRoot!.activeElement).to.equal(heading);
    const code = host.shadowRoot!.querySelector('crypto-qr')!;
    return { heading: heading.getBoundingClientRect(), code: code.getBoundingClientRect() };
  }

  afterEach(() => {
    host.remove();
    scrollTo(0, 0);
  });

  it('does not scroll while the heading and the code are in sight', async () => {
    await reveal(40, 20);
    expect(scrollY).to.equal(0);
  });

  it('scrolls only until the code is whole', async () => {
    const { heading, code } = await reveal(innerHeight - 120, 50);
    expect(scrollY).to.be.above(0);
    expect(code.bottom).to.be.closeTo(innerHeight, 1);
    expect(heading.top).to.be.above(0);
  });

  it('shows the heading where the code does not fit below it', async () => {
    const { heading } = await reveal(100, innerHeight + 50);
    expect(heading.top).to.be.closeTo(0, 1);
  });
});
