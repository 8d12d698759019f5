/** The pages in the order of the navigation. */
export const PAGES = ["now", "sessions", "subjects", "try", "cluster", "promises", "settings"] as const;
export type PageName = (typeof PAGES)[number];

export interface Route {
  readonly page: PageName;
  readonly parameters: URLSearchParams;
}

/** Parses a hash such as `#/sessions?search=a`; an unknown page becomes Now. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const page = PAGES.find((name) => name === path) ?? "now";
  return { page, parameters: new URLSearchParams(query) };
}

/** Returns the address of a page; empty parameters are omitted. */
export function href(
  page: PageName,
  parameters: { readonly [name: string]: string | number | undefined } = {},
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== "" && value !== 0) query.set(name, String(value));
  }
  return `#/${page}${query.size ? `?${query}` : ""}`;
}

export const currentRoute = (): Route => parseRoute(location.hash);

/** Changes the address to a page with parameters; the window then sends the event `hashchange`. */
export function go(page: PageName, parameters: { readonly [name: string]: string | number | undefined }): void {
  const target = href(page, parameters);
  if (location.hash !== target) location.hash = target;
}
