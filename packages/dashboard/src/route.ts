/**
 * Maps addresses to views. The gateway serves the page at all of them (its `dashboard/page.ts`).
 */
export const VIEWS = [
  'home',
  'sign-in',
  'invoices',
  'transactions',
  'payouts',
  'refunds',
  'balances',
  'rules',
  'callbacks',
  'test',
] as const;
export type ViewName = (typeof VIEWS)[number];

/** Views with a detail page at `<view>/<id>/`. */
const WITH_ONE: ReadonlySet<ViewName> = new Set([
  'invoices',
  'transactions',
  'payouts',
  'refunds',
  'callbacks',
]);

export interface Route {
  view: ViewName;
  /** Id of the detail page; null for the list. */
  id: string | null;
  /** Filters and page number, by the API's names. */
  query: string;
}

const BASE = '/dashboard/';

/** Parses an address; null for an unknown one. */
export function readRoute({
  pathname,
  search,
}: {
  pathname: string;
  search: string;
}): Route | null {
  const [first = '', id, ...more] = `${pathname}/`.slice(BASE.length).split('/').filter(Boolean);
  const view = VIEWS.find((name) => name === (first || 'home'));
  if (
    !view ||
    (view === 'home' && first !== '') ||
    more.length > 0 ||
    (id !== undefined && !WITH_ONE.has(view))
  )
    return null;
  return { view, id: id ?? null, query: search.replace(/^\?/, '') };
}

/** The address of a view, of a detail page, or of a filtered list; empty filters are left out. */
export function pathTo(
  view: ViewName,
  id?: string | null,
  filters: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams(
    Object.entries(filters).filter(([, value]) => value !== ''),
  ).toString();
  const path = view === 'home' ? BASE : `${BASE}${view}/`;
  return path + (id ? `${encodeURIComponent(id)}/` : '') + (query === '' ? '' : `?${query}`);
}
