// Saves 1,459 B of the embed script and 1,504 B of the page script (measured 2026-11-26, brotli
// bytes of dist/embed/crypto-checkout.mjs and dist/page/page-*.mjs with and without this plugin).
/**
 * Leaves out of Lit what our elements do not use. Each piece is cut by its exact text, so that
 * another release of Lit fails the build until this list is read again; `refuseUse` fails it when a
 * source of ours begins to use one of them.
 */
import type { Plugin } from 'vite';

/** A piece of a minified module, and what stands there instead. */
type Cut = readonly [piece: string, instead?: string];

const REACTIVE_ELEMENT: readonly Cut[] = [
  ['getOwnPropertyDescriptor:h,'],
  ['getOwnPropertySymbols:o,'],
  ['c=a.trustedTypes,l=c?c.emptyScript:"",'],
  // Decorators: their initializers, metadata and state.
  ['static addInitializer(t){this._$Ei(),(this.l??=[]).push(t)}'],
  [',void 0!==t.l&&(this.l=[...t.l])'],
  [',this.constructor.l?.forEach(t=>t(this))'],
  ['Symbol.metadata??=Symbol("metadata"),a.litPropertyMetadata??=new WeakMap;', ';'],
  [
    'const t=this[Symbol.metadata];if(null!==t){const s=litPropertyMetadata.get(t);if(void 0!==s)for(const[t,i]of s)this.elementProperties.set(t,i)}',
  ],
  ['s.state&&(s.attribute=!1),'],
  // A class's own accessors of a property: ours have `noAccessor`.
  ['this.prototype.hasOwnProperty(t)&&((s=Object.create(s)).wrapped=!0),'],
  [
    'const{get:e,set:r}=h(this.prototype,t)??{get(){return this[s]},set(t){this[s]=t}};return{get:e,set(s){const h=e?.call(this);r?.call(this,s),this.requestUpdate(t,h,i)},',
    'return{get(){return this[s]},set(i){const h=this[s];this[s]=i,this.requestUpdate(t,h)},',
  ],
  [
    'const t=this.constructor.elementProperties;if(t.size>0)for(const[s,i]of t){const{wrapped:t}=i,e=this[s];!0!==t||this._$AL.has(s)||void 0===e||this.C(s,void 0,i,e)}',
  ],
  // Properties that write their attribute, have a default, or are compared in their own way.
  [',reflect:!1,useDefault:!1,hasChanged:f'],
  [
    '_$ET(t,s){const i=this.constructor.elementProperties.get(t),e=this.constructor._$Eu(t,i);if(void 0!==e&&!0===i.reflect){const h=(void 0!==i.converter?.toAttribute?i.converter:u).toAttribute(s,i.type);this._$Em=t,null==h?this.removeAttribute(e):this.setAttribute(e,h),this._$Em=null}}',
  ],
  ['this._$Eq&&=this._$Eq.forEach(t=>this._$ET(t,this[t])),'],
  [',this._$Em=null,this._$Ev()', ',this._$Ev()'],
  [
    'requestUpdate(t,s,i,e=!1,h){if(void 0!==t){const r=this.constructor;if(!1===e&&(h=this[t]),i??=r.getPropertyOptions(t),!((i.hasChanged??f)(h,s)||i.useDefault&&i.reflect&&h===this._$Ej?.get(t)&&!this.hasAttribute(r._$Eu(t,i))))return;this.C(t,s,i)}',
    'requestUpdate(t,s){if(void 0!==t){if(i(this[t],s))return;this._$AL.has(t)||this._$AL.set(t,this.hasUpdated?s:void 0)}',
  ],
  [
    'C(t,s,{useDefault:i,reflect:e,wrapped:h},r){i&&!(this._$Ej??=new Map).has(t)&&(this._$Ej.set(t,r??s??this[t]),!0!==h||void 0!==r)||(this._$AL.has(t)||(this.hasUpdated||i||(s=void 0),this._$AL.set(t,s)),!0===e&&this._$Em!==t&&(this._$Eq??=new Set).add(t))}',
  ],
  // Converters are functions, and texts, numbers and booleans have none.
  [
    'toAttribute(t,s){switch(s){case Boolean:t=t?l:null;break;case Object:case Array:t=null==t?t:JSON.stringify(t)}return t},',
  ],
  [
    'let i=t;switch(s){case Boolean:i=null!==t;break;case Number:i=null===t?null:Number(t);break;case Object:case Array:try{i=JSON.parse(t)}catch(t){i=null}}return i',
    'return s===Boolean?null!==t:s===Number&&null!==t?Number(t):t',
  ],
  [
    'if(void 0!==e&&this._$Em!==e){const t=i.getPropertyOptions(e),h="function"==typeof t.converter?{fromAttribute:t.converter}:void 0!==t.converter?.fromAttribute?t.converter:u;this._$Em=e;const r=h.fromAttribute(s,t.type);this[e]=r??this._$Ej?.get(e)??r,this._$Em=null}',
    'if(void 0!==e){const{converter:t,type:h}=i.getPropertyOptions(e);this[e]=(t??u.fromAttribute)(s,h)}',
  ],
  // Properties named by symbols.
  ['s=[...r(t),...o(t)];for(const i of s)', 's=r(t);for(const i of s)'],
  ['"string"==typeof i?i:"string"==typeof t?t.toLowerCase():void 0', 'i??t.toLowerCase()'],
  // Lists of sheets within lists, with repetitions, and sheets of browsers without their own.
  [
    'const i=[];if(Array.isArray(s)){const e=new Set(s.flat(1/0).reverse());for(const s of e)i.unshift(t(s))}else void 0!==s&&i.push(t(s));return i',
    'return[s??[]].flat()',
  ],
  // Hooks of the life cycle.
  [
    'let t=!1;const s=this._$AL;try{t=this.shouldUpdate(s),t?(this.willUpdate(s),this._$EO?.forEach(t=>t.hostUpdate?.()),this.update(s)):this._$EM()}catch(s){throw t=!1,this._$EM(),s}t&&this._$AE(s)',
    'const s=this._$AL;try{this.willUpdate(s),this._$EO?.forEach(t=>t.hostUpdate?.()),this.update(s)}catch(t){throw this._$EM(),t}this._$AE(s)',
  ],
  ['shouldUpdate(t){return!0}'],
  ['this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(t)),', 'this.hasUpdated=!0,'],
  ['firstUpdated(t){}'],
  ['return this.getUpdateComplete()}getUpdateComplete(){return this._$ES}', 'return this._$ES}'],
  ['d=(t,s)=>t,'],
  ['d("elementProperties")', '"elementProperties"'],
  ['d("finalized")', '"finalized"'],
  ['d("properties")', '"properties"'],
];

const LIT_ELEMENT: readonly Cut[] = [
  // Directives that end when the element leaves the page.
  [',this._$Do=void 0'],
  ['this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),'],
  ['this._$Do=e(', 'e('],
  [
    'connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}disconnectedCallback(){super.disconnectedCallback(),this._$Do?.setConnected(!1)}',
  ],
];

const LIT_HTML: readonly Cut[] = [
  // Helpers of servers; those of hydration stay.
  ['M:h,P:o,A:n,C:1,L:N,R,D:d,V:M,I:k,H,N:L,U:z,B:I,F:Z', 'R,D:d,I:k'],
  // The kind of a part, where hydration does not read it, and the part around it.
  ['this.type=2,'],
  ['constructor(){super(...arguments),this.type=4}'],
  [
    'constructor(t,i,s,e,h){super(t,i,s,e,h),this.type=5}',
    'constructor(){super(...arguments),this.type=5}',
  ],
  ['this._$AD=t,this._$AM=i', 'this._$AD=t'],
  ['this._$AM=s,'],
  ['this.name=i,this._$AM=e,', 'this.name=i,'],
  ['Error("invalid template strings array")', 'Error()'],
  // Directives of an element.
  [
    'class Z{constructor(t,i,s){this.element=t,this.type=6,this._$AN=void 0,this._$AM=i,this.options=s}get _$AU(){return this._$AM._$AU}_$AI(t){M(this,t)}}',
  ],
  // Directives, with all that a part keeps for them.
  [
    'function M(t,i,s=t,e){if(i===E)return i;let h=void 0!==e?s._$Co?.[e]:s._$Cl;const o=a(i)?void 0:i._$litDirective$;return h?.constructor!==o&&(h?._$AO?.(!1),void 0===o?h=void 0:(h=new o(t),h._$AT(t,s,e)),void 0!==e?(s._$Co??=[])[e]=h:s._$Cl=h),void 0!==h&&(i=M(t,h._$AS(t,i.values),h,e)),i}',
  ],
  ['t=M(this,t,i),a(t)', 'a(t)'],
  ['t=M(this,t,i,0),o=', 'o='],
  ['r=M(this,e[s+n],i,n)', 'r=e[s+n]'],
  ['(t=M(this,t,i,0)??A)', '(t=t??A)'],
  ['get parentNode(){return this._$AM.parentNode}'],
  ['get _$AU(){return this._$AM._$AU}'],
  ['get tagName(){return this.element.tagName}'],
  ['get _$AU(){return this._$AM?._$AU??this._$Cv}'],
  [
    'get parentNode(){let t=this._$AA.parentNode;const i=this._$AM;return void 0!==i&&11===t?.nodeType&&(t=i.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}',
  ],
  ['this._$AN=void 0,'],
  [',this._$Cv=e?.isConnected??!0'],
  ['this._$AP?.(!1,!0,s)'],
  ['setConnected(t){void 0===this._$AM&&(this._$Cv=t,this._$AP?.(t))}'],
  ['else t.startsWith(o)&&(d.push({type:6,index:l}),r.removeAttribute(t));', ';'],
  [
    '1===r.type?i=new r.ctor(h,r.name,r.strings,this,t):6===r.type&&(i=new Z(h,this,t))',
    'i=new r.ctor(h,r.name,r.strings,this,t)',
  ],
  // Values within comments, scripts, sheets, titles and text areas.
  [
    'if(r.data===n)d.push({type:2,index:l});else{let t=-1;for(;-1!==(t=r.data.indexOf(o,t+1));)d.push({type:7,index:l}),t+=o.length-1}',
    'r.data===n&&d.push({type:2,index:l});',
  ],
  [
    'void 0!==s&&(void 0!==s.strings?(s._$AI(t,s,i),i+=s.strings.length-2):s._$AI(t[i])),i++',
    'void 0!==s.strings?(s._$AI(t,s,i),i+=s.strings.length-2):s._$AI(t[i]),i++',
  ],
  [
    'if(y.test(r.tagName)){const t=r.textContent.split(o),i=t.length-1;if(i>0){r.textContent=s?s.emptyScript:"";for(let s=0;s<i;s++)r.append(t[s],c()),P.nextNode(),d.push({type:2,index:++l});r.append(t[i],c())}}',
  ],
  ['(y.test(u[2])&&(n=RegExp("</"+u[2],"g")),c=p)', 'c=p'],
  ['c=n??v', 'c=v'],
  ['(c=p,n=void 0)', 'c=p'],
  ['let n,l=2===i', 'let l=2===i'],
  ['y=/^(?:script|style|textarea|title)$/i,'],
  // Formulas.
  ['3===i?"<math>":""', '""'],
  ['3===i?"</math>":""', '""'],
  ['2===i||3===i', '2===i'],
  // Templates compiled in advance.
  [
    'const{values:i,_$litType$:s}=t,e="number"==typeof s?this._$AC(t):(void 0===s.el&&(s.el=S.createElement(V(s.h,s.h[0]),this.options)),s);',
    'const{values:i}=t,e=this._$AC(t);',
  ],
  // Documents of their own for a template's nodes.
  ['(t?.creationScope??l)', 'l'],
  // Listeners that are objects, or have options.
  [
    '||t.capture!==s.capture||t.once!==s.once||t.passive!==s.passive,h=t!==A&&(s===A||e)',
    ',h=t!==A&&s===A',
  ],
  [
    '"function"==typeof this._$AH?this._$AH.call(this.options?.host??this.element,t):this._$AH.handleEvent(t)',
    'this._$AH.call(this.options?.host??this.element,t)',
  ],
];

const HYDRATION: readonly Cut[] = [
  // The first marker, for a message.
  ['(n=i),o??=s', '(n=i)'],
  ['resolveDirective:d,'],
  [',ElementPart:p'],
  ['if(f=d(m,f),f===e)', 'if(f===e)'],
  ['if(i(f))throw Error("compiled templates are not supported");'],
  ['t.type!==r.ATTRIBUTE&&t.type!==r.ELEMENT', 't.type!==r.ATTRIBUTE'],
  [
    'else{const t=new p(l,s.instance,n);d(t,s.result.values[s.instancePartIndex++]),e._$AV.push(t)}',
  ],
];

const HYDRATING_ELEMENT: readonly Cut[] = [
  // Attributes of an element's internals.
  [
    'for(const t of this.getAttributeNames())if(t.startsWith("hydrate-internals-")){const i=t.slice(18);this.removeAttribute(i),this.removeAttribute(t)}',
  ],
];

/** Each module by the end of its path. */
const MODULES: readonly (readonly [path: string, cuts: readonly Cut[]])[] = [
  ['/@lit/reactive-element/reactive-element.js', REACTIVE_ELEMENT],
  ['/lit-element/lit-element.js', LIT_ELEMENT],
  ['/lit-html/lit-html.js', LIT_HTML],
  ['/@lit-labs/ssr-client/lib/hydrate-lit-html.js', HYDRATION],
  ['/@lit-labs/ssr-client/lit-element-hydrate-support.js', HYDRATING_ELEMENT],
];

/** Uses of what is cut, in a source of ours. */
const USE =
  /lit\/(?:directive|decorators)|\b(?:reflect|useDefault|hasChanged|toAttribute|creationScope):|\b(?:mathml|handleEvent|shouldUpdate|firstUpdated|getUpdateComplete|addInitializer)\b|\battribute: true|\btype: (?:Object|Array)\b|<(?:textarea|title|style|script)\b(?:\$\{[^}]*\}|[^`>$])*>[^`<]*\$\{/;

/** One of Lit's modules without the pieces; null for any other module. */
export function withoutUnused(code: string, path: string): string | null {
  const [, cuts] = MODULES.find(([end]) => path.endsWith(end)) ?? [];
  if (!cuts) return null;
  return cuts.reduce((text, [piece, instead = '']) => {
    if (!text.includes(piece)) throw new Error(`${path} does not contain ${piece}`);
    return text.replaceAll(piece, () => instead);
  }, code);
}

/** Stops the build where a source of ours uses what is cut. */
export function refuseUse(code: string, path: string): void {
  const [use] = USE.exec(code) ?? [];
  if (use) throw new Error(`${path} uses ${use}, which tools/vite/lit-unused.ts cuts from Lit`);
}

export const litUnused = (): Plugin => ({
  name: 'lit-unused',
  apply: 'build',
  enforce: 'pre',
  applyToEnvironment: ({ name }) => ['embed', 'hydrate', 'page', 'classic'].includes(name),
  transform(code, id) {
    if (/packages\/(?:elements|page)\/src\/.*\.ts$/.test(id)) refuseUse(code, id);
    const cut = withoutUnused(code, id);
    return cut === null ? null : { code: cut, map: null };
  },
});
