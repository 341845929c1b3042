export interface RelyingPartySettings {
  readonly kind: 'oidc-middleware' | 'passport-openidconnect';
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string;
  readonly port: number;
}

export type Command =
  | { readonly kind: 'serve'; readonly settings: RelyingPartySettings }
  /** `path` names a function of @okta/okta-auth-js (such as `token.getUserInfo`) or of @okta/jwt-verifier. */
  | { readonly kind: 'authJs'; readonly options: object; readonly path: string; readonly given: readonly unknown[] }
  | { readonly kind: 'verify'; readonly options: object; readonly path: string; readonly given: readonly unknown[] };

export type Report = { readonly id: number } & ({ readonly result: unknown } | { readonly error: string });
