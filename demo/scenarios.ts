import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { shell } from './pages.ts';

type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** A choice; the script adds the values that the elements support. */
const field = (name: string, label: string, options: Record<string, string> = {}): Html =>
  html`<div>
    <label for="${name}">${label}</label>
    <select id="${name}" name="${name}">
      ${Object.entries(options).map(([value, text]) => html`<option value="${value}">${text}</option>`)}
    </select>
  </div>`;

/** Shows every stage and fault while a shop is styled: no server is called, nothing is paid. */
export const scenarioPage = (script: { src: string; integrity: string }): Html =>
  shell(
    'Scenarios',
    html`<h1>Scenarios</h1>
      <p class="muted">
        Every stage and fault of the checkout, played in fake time. The address of this page keeps
        what you chose.
      </p>
      <form class="scenario" id="scenario">
        ${field('demo', 'Scenario')}${field('step', 'Step')}${field('kind', 'Kind')}${field('locale', 'Language')}${field(
          'theme',
          'Theme',
          {
            auto: 'auto',
            light: 'light',
            dark: 'dark',
          },
        )}${field('form', 'Form', { inline: 'in the page', button: 'button and dialog', redirect: 'link to its page' })}${field(
          'width',
          'Width',
          {
            '': 'as the page',
            w320: '320 px',
            w390: '390 px',
            w560: '560 px',
            w800: '800 px',
          },
        )}${field('brand', 'Brand', { '': 'none', violet: 'violet, round', newsprint: 'newsprint, square' })}
        <button type="button" id="again">Play again</button>
        <button type="button" id="next">Next step</button>
      </form>
      <p id="about" class="muted"></p>
      <template id="below">
        <details id="onramp">
          <summary>Buy the coins with a card</summary>
          <p>
            Sold by <bdi></bdi>, which sends them straight to the shop. Its prices and terms apply.
          </p>
          <p>Continue</p>
        </details>
        <p class="muted">
          This stands on the hosted page only. “Continue” opens the page of
          <code>ONRAMP_URL</code> in a frame there, and nothing of it is loaded before; no other
          company takes part in a demonstration.
        </p>
      </template>
      <div class="stages">
        <section id="stand" aria-label="The checkout"></section>
        <section class="log" aria-labelledby="events">
          <h2 id="events">Events</h2>
          <ol id="log" tabindex="0" aria-labelledby="events"></ol>
          <h2 id="tag">Tag</h2>
          <pre id="source" tabindex="0" aria-labelledby="tag"></pre>
        </section>
      </div>`,
    html`<script
        type="module"
        src="${script.src}"
        integrity="${script.integrity}"
        crossorigin="anonymous"
      ></script>
      <script type="module" src="/assets/shop.mjs"></script>`,
  );
