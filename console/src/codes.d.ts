/** The codes of the protocol with their sentences; the build reads them from the server's sources. */
declare module "belfry:codes" {
  export const CODES: { readonly [code: string]: string };
}
