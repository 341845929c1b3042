import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { Context } from '../../kernel/context.ts';
import type { ErrorCode } from '../../kernel/errors/errors.ts';
import type { RateLimitBucket } from './limits/rate-limit-buckets.ts';
import type { Answer } from './request/answer.ts';
import type { BodyLimit } from './request/body-limits.ts';
import type { QueryField, QueryValues } from './request/query-fields.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type QueryFields = Readonly<Record<string, QueryField<unknown>>>;

/** Resources that are excluded from a grant of all others. */
export interface Exclusion {
  readonly ids: readonly string[];
  /** Users in these groups, or these groups. */
  readonly groupIds: readonly string[];
  /** Every app of these names. */
  readonly appNames: readonly string[];
}

/** Resources that any of the members covers. */
export interface SomeGrant {
  readonly kind: 'some';
  /** The resources themselves. */
  readonly ids: readonly string[];
  /** Users in these groups, or these groups. */
  readonly groupIds: readonly string[];
  readonly appIds: readonly string[];
  /** Every app of these names. */
  readonly appNames: readonly string[];
  /** All except these. */
  readonly allBut: readonly Exclusion[];
}

/**
 * The rows of a resource that a principal may touch: all, those named, or some by their groups and apps. Lists add it
 * to their WHERE clause (`usersWithin`, `groupsWithin`, `appsWithin` of access/); single resources are checked inside
 * the transaction.
 */
export type Grant = { readonly kind: 'all' } | { readonly kind: 'ids'; readonly ids: readonly string[] } | SomeGrant;

export interface HandlerInput<Params, Query, Body> {
  readonly context: Context;
  /** The rows that the caller's roles allow it to touch here; `all` on public routes. */
  readonly grant: Grant;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The query as the client sent it, decoded and in order, for `self` links and cursors. */
  readonly rawQuery: readonly (readonly [name: string, value: string])[];
}

export interface RouteResponse {
  readonly status: 200 | 201 | 202 | 204 | 302 | 303;
  readonly schema: TSchema | null;
  readonly mediaType?: string;
  /** Media types that the handler returns to clients that ask for them. */
  readonly alternatives?: readonly string[];
}

/**
 * The single declaration of an operation: registration, OpenAPI, docs, the permission snapshot and the sweeps read this
 * object. `scopes` are neutral (`users.read`); the edge adds the namespace word.
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
  /**
   * `public` ignores credentials. `authenticated` requires one. `optional` accepts an Authorization header, which must
   * be valid if present. `session` accepts only the session cookie; without one the answer is 404 E0000007.
   */
  readonly access: 'public' | 'authenticated' | 'optional' | 'session';
  readonly scopes: readonly string[];
  /**
   * The permission that the caller's roles must grant. Absent on public routes and where any valid credential is
   * enough.
   */
  readonly permission?: string;
  /**
   * The handler narrows itself to `grant`. All other routes refuse callers with less than a full grant, so that no
   * handler can forget to narrow itself.
   */
  readonly appliesGrant?: boolean;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /**
   * `form`: application/x-www-form-urlencoded, read into an object of strings. `multipart`: RFC 7578, read into an
   * object of parts by their names. `bytes`: an unchanged Buffer of one of the media types in `consumes`. JSON by
   * default.
   */
  readonly bodyType?: 'json' | 'form' | 'multipart' | 'bytes';
  /** Media types of a body of bytes. */
  readonly consumes?: readonly string[];
  /** The body limit of the route, if it differs from the usual one (body-limits.ts), with the reason. */
  readonly bodyLimit?: BodyLimit;
  /** A body may be absent although `body` is declared. */
  readonly bodyOptional?: boolean;
  readonly response: RouteResponse;
  readonly errors: readonly ErrorCode[];
  readonly bucket: RateLimitBucket;
  readonly cors: boolean;
  /** Changes nothing and records no event although it is not a GET, so it never waits for changes (shedding.ts). */
  readonly readOnly?: boolean;
  /** Writes rows although it may be a GET, so it is refused with changes. */
  readonly writes?: boolean;
  /** Honours `Idempotency-Key`. */
  readonly idempotent?: boolean;
  /** Honours `If-Match`: its use case calls `assertVersion`. Adds 412 E0000231 and 400 E0000242 to `errors`. */
  readonly conditional?: boolean;
  /** Always answers with its one media type, whatever the client accepts (RFC 7033 4.2). */
  readonly anyAccept?: boolean;
  /**
   * A public document. While the database is unreachable, a copy of up to ten minutes of age is served, with the org of
   * its host and the org's zones. Its handler may read only such copies.
   */
  readonly keptWithoutDatabase?: boolean;
  /**
   * `log`: bodies have only errorCode, errorSummary and errorId (contract section 3). `oauth`: `error` and
   * `error_description` (RFC 6749 5.2). `registration`: the same for bad requests, as `invalid_client_metadata` (RFC
   * 7591 3.2.2), and the error object for everything else. `page`: a page, for clients that accept HTML (navigating
   * browsers get one on every route outside of the APIs: wants-page.ts).
   */
  readonly errorShape?: 'log' | 'oauth' | 'registration' | 'page';
  readonly handler: (input: HandlerInput<Static<Params>, QueryValues<Query>, Static<Body>>) => Promise<Answer>;
}

/** A route whose type parameters no longer matter: what registration and sweeps read. */
export type AnyRoute = Omit<Route, 'handler'> & {
  readonly handler: (input: HandlerInput<never, never, never>) => Promise<Answer>;
};

/** Declares an operation; the generic parameters make the handler's input exact. */
export function route<
  Params extends TObject = TObject,
  Query extends QueryFields = Readonly<Record<string, never>>,
  Body extends TSchema = TSchema,
>(declaration: Route<Params, Query, Body>): AnyRoute {
  if (declaration.conditional !== true) return declaration;
  return { ...declaration, errors: [...declaration.errors, 'E0000231', 'E0000242'] };
}
