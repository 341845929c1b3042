import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { Context } from '../../kernel/context.ts';
import type { ErrorCode } from '../../kernel/errors/errors.ts';
import type { RateLimitBucket } from './limits/rate-limit-buckets.ts';
import type { Answer } from './request/answer.ts';
import type { BodyLimit } from './request/body-limits.ts';
import type { QueryField, QueryValues } from './request/query-fields.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type QueryFields = Readonly<Record<string, QueryField<unknown>>>;

/** The resources that an entry of `allBut` excludes. */
export interface Exclusion {
  readonly ids: readonly string[];
  /** Users in these groups, or the groups themselves. */
  readonly groupIds: readonly string[];
  /** All apps with these names. */
  readonly appNames: readonly string[];
}

/** A grant of the resources that at least one of its members covers. */
export interface SomeGrant {
  readonly kind: 'some';
  readonly ids: readonly string[];
  /** Users in these groups, or the groups themselves. */
  readonly groupIds: readonly string[];
  readonly appIds: readonly string[];
  /** All apps with these names. */
  readonly appNames: readonly string[];
  /** Each entry covers all resources except those that it excludes. */
  readonly allBut: readonly Exclusion[];
}

/** The rows of a resource that a principal may read or change. */
export type Grant = { readonly kind: 'all' } | { readonly kind: 'ids'; readonly ids: readonly string[] } | SomeGrant;

export interface HandlerInput<Params, Query, Body> {
  readonly context: Context;
  /** The rows that the caller may read or change here. */
  readonly grant: Grant;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The query as the client sent it, decoded and in order. */
  readonly rawQuery: readonly (readonly [name: string, value: string])[];
}

export interface RouteResponse {
  readonly status: 200 | 201 | 202 | 204 | 302 | 303;
  readonly schema: TSchema | null;
  readonly mediaType?: string;
  /** Further media types that the handler can produce. `Accept` may allow one of them instead of `mediaType`. */
  readonly alternatives?: readonly string[];
}

/**
 * A route declares an operation once, for the router and the OpenAPI document. `scopes` have the neutral form
 * (`users.read`), without the namespace word.
 */
export interface Route<
  Params extends TObject = TObject,
  Query extends QueryFields = QueryFields,
  Body extends TSchema = TSchema,
> {
  readonly operationId: string;
  readonly method: Method;
  readonly url: string;
  readonly summary: string;
  readonly tag: string;
  readonly deprecated?: boolean;
  /**
   * `public` ignores credentials. `authenticated` requires one. `optional` accepts an Authorization header, which must
   * be valid. `session` accepts only the session cookie.
   */
  readonly access: 'public' | 'authenticated' | 'optional' | 'session';
  readonly scopes: readonly string[];
  /** The permission that the caller needs, if the route requires one. */
  readonly permission?: string;
  /**
   * The handler limits itself to the rows that `grant` covers. Other `authenticated` routes refuse callers without a
   * full grant.
   */
  readonly appliesGrant?: boolean;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /**
   * A `form` (application/x-www-form-urlencoded) is read into an object of strings. A `multipart` form (RFC 7578) is
   * read into a map of parts by name. `bytes` means an unchanged Buffer of one of the media types in `consumes`. The
   * default is JSON.
   */
  readonly bodyType?: 'json' | 'form' | 'multipart' | 'bytes';
  readonly consumes?: readonly string[];
  /** The body limit of the route, if it differs from the usual one (body-limits.ts). */
  readonly bodyLimit?: BodyLimit;
  /** Whether the body may be absent although `body` is declared. */
  readonly bodyOptional?: boolean;
  readonly response: RouteResponse;
  readonly errors: readonly ErrorCode[];
  readonly bucket: RateLimitBucket;
  readonly cors: boolean;
  /** The route changes nothing even if it is not a GET, so it is not refused together with changes (shedding.ts). */
  readonly readOnly?: boolean;
  /** The route writes rows even if it is a GET, so it is refused together with changes. */
  readonly writes?: boolean;
  /** The route honours `Idempotency-Key`. */
  readonly idempotent?: boolean;
  /** The use case checks `If-Match` with `assertVersion`. `route` adds 412 E0000231 and 400 E0000242 to `errors`. */
  readonly conditional?: boolean;
  /** The route refuses no Accept header, as RFC 7033 4.2 requires of WebFinger. */
  readonly anyAccept?: boolean;
  /**
   * The route serves a public document. While the database is unreachable, the document, the org and the org's zones
   * come from copies that are up to ten minutes old. The handler may read only such copies.
   */
  readonly keptWithoutDatabase?: boolean;
  /**
   * The form of errors. `log` means a shorter error object (contract section 3). `oauth` means `error` and
   * `error_description` (RFC 6749 5.2) for OAuth errors and faults in the request. `registration` is like `oauth`, but
   * has `invalid_client_metadata` instead of `invalid_request` (RFC 7591 3.2.2). `page` means a page, for clients that
   * accept HTML.
   */
  readonly errorShape?: 'log' | 'oauth' | 'registration' | 'page';
  readonly handler: (input: HandlerInput<Static<Params>, QueryValues<Query>, Static<Body>>) => Promise<Answer>;
}

export type AnyRoute = Omit<Route, 'handler'> & {
  readonly handler: (input: HandlerInput<never, never, never>) => Promise<Answer>;
};

/** Declares an operation. The generic parameters make the type of the handler's input exact. */
export function route<
  Params extends TObject = TObject,
  Query extends QueryFields = Readonly<Record<string, never>>,
  Body extends TSchema = TSchema,
>(declaration: Route<Params, Query, Body>): AnyRoute {
  if (declaration.conditional !== true) return declaration;
  return { ...declaration, errors: [...declaration.errors, 'E0000231', 'E0000242'] };
}
