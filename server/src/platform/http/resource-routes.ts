import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { Context } from '../../kernel/context.ts';
import type { ErrorCode } from '../../kernel/errors/errors.ts';
import type { Version } from '../../kernel/version.ts';
import type { KeysetPage } from './lists/keyset.ts';
import { type Answer, noContent, ok, page } from './request/answer.ts';
import type { QueryValues } from './request/query-fields.ts';
import { type AnyRoute, type HandlerInput, type QueryFields, type Route, route } from './route.ts';

interface ResourceNames {
  readonly tag: string;
  /** The name of the resource in operation ids: `NetworkZone` results in `createNetworkZone` and `listNetworkZones`. */
  readonly name: string;
  /** The noun for one resource in summaries: `a network zone`. */
  readonly one: string;
  /** The noun for all resources in summaries: `all network zones`. It defaults to `one`. */
  readonly all?: string;
  /** The word in scopes: `networkZones` results in `networkZones.read` and `networkZones.manage`. */
  readonly scope: string;
  /** The word in permissions, if it differs from the one in scopes. */
  readonly permission?: string;
  readonly appliesGrant?: true;
}

/**
 * An interface, unlike a type alias, is not assignable to `Record<string, unknown>`. The compiler therefore refuses a
 * `wire` whose third parameter has that type.
 */
interface Place<Of extends TObject> {
  readonly params: Static<Of>;
}

/**
 * The parts that all routes of a resource share. `Row` is the result of its use cases. `Of` is the type of the
 * parameters in the collection's address, and `One` is the type of those in the address of a single resource.
 */
export interface Resource<Row, Of extends TObject, One extends TObject> extends ResourceNames {
  /** The address of one resource. Without its last segment, it is the address of the collection. */
  readonly url: string;
  readonly of?: Of;
  /** The parameters of the address, if it has any. */
  readonly params?: One;
  readonly schema: TSchema;
  readonly wire: (row: Row, context: Context, place: Place<Of>) => unknown;
  /** Resources without an entity tag have no version. */
  readonly version?: (row: Row, context: Context, place: Place<Of>) => Version;
  readonly headers?: (row: Row, context: Context) => Readonly<Record<string, string>>;
}

type NoQuery = Readonly<Record<string, never>>;
type Input<Params extends TObject, Query extends QueryFields, Body extends TSchema> = HandlerInput<
  Static<Params>,
  QueryValues<Query>,
  Static<Body>
>;

/** The members of a route that an operation may declare in addition to its errors. */
type Declared =
  | 'operationId'
  | 'summary'
  | 'permission'
  | 'query'
  | 'body'
  | 'bodyLimit'
  | 'bodyOptional'
  | 'idempotent'
  | 'conditional';

export interface Operation<Params extends TObject, Query extends QueryFields, Body extends TSchema, Result>
  extends Partial<Pick<Route<Params, Query, Body>, Declared>> {
  /** The errors that `errorsOf` does not derive from the other members. */
  readonly errors?: readonly ErrorCode[];
  readonly use: (input: Input<Params, Query, Body>) => Promise<Result>;
}

type Listed<Row> = KeysetPage<Row> | readonly Row[];

interface ListOperation<Of extends TObject, Query extends QueryFields, Found>
  extends Operation<Of, Query, TSchema, Found> {
  readonly schema: TSchema;
  /** Builds the body from the rendered rows. The default is an array of them. */
  readonly envelope?: (items: readonly unknown[], found: Found, context: Context) => unknown;
}

interface CreateOperation<Of extends TObject, Query extends QueryFields, Body extends TSchema, Row>
  extends Operation<Of, Query, Body, Row> {
  readonly status?: 200 | 201;
}

const ACTIONS = ['activate', 'deactivate'] as const;
type Use<One extends TObject, Result> = (
  input: Input<One, NoQuery, TSchema>,
  action: (typeof ACTIONS)[number],
) => Promise<Result>;

const useFor =
  <One extends TObject, Result>(action: (typeof ACTIONS)[number], use: Use<One, Result>) =>
  (input: Input<One, NoQuery, TSchema>): Promise<Result> =>
    use(input, action);

type Lifecycle<One extends TObject, Row> = { readonly errors?: readonly ErrorCode[] } & (
  | { readonly answers?: never; readonly use: Use<One, Row> }
  | { readonly answers: 'nothing'; readonly use: Use<One, unknown> }
);

// biome-ignore format: the columns are the documentation
const VERBS = {
  list:       { method: 'GET',    word: 'List' },
  create:     { method: 'POST',   word: 'Create',     idempotent: true },
  get:        { method: 'GET',    word: 'Retrieve' },
  replace:    { method: 'PUT',    word: 'Replace',    conditional: true },
  update:     { method: 'POST',   word: 'Update',     conditional: true },
  delete:     { method: 'DELETE', word: 'Delete',     conditional: true },
  activate:   { method: 'POST',   word: 'Activate',   conditional: true },
  deactivate: { method: 'POST',   word: 'Deactivate', conditional: true },
} as const;

function errorsOf({ body, idempotent, params, query = {} }: Partial<AnyRoute>): ErrorCode[] {
  const types = Object.values(query).map(({ repeatable, schema }) => (repeatable === true ? 'array' : schema['type']));
  const codes: readonly (readonly [ErrorCode, boolean])[] = [
    ['E0000001', body !== undefined || types.includes('string')],
    ['E0000007', params !== undefined],
    ['E0000031', 'filter' in query],
    ['E0000037', types.includes('integer') || types.includes('boolean')],
    ['E0000053', 'filter' in query],
    ['E0000195', idempotent === true],
  ];
  return codes.filter(([, isPossible]) => isPossible).map(([code]) => code);
}

function operation<Params extends TObject, Query extends QueryFields, Body extends TSchema, Result>(
  shape: Omit<AnyRoute, 'params' | 'query' | 'body' | 'errors' | 'handler'> & { readonly params?: Params },
  { errors = [], use, ...own }: Operation<Params, Query, Body, Result>,
  answer: (result: Result, input: Input<Params, Query, Body>) => Answer,
): AnyRoute {
  const declared = { ...shape, ...own };
  return route<Params, Query, Body>({
    ...declared,
    errors: [...new Set([...errorsOf(declared), ...errors])],
    handler: async (input) => answer(await use(input), input),
  });
}

/** Returns the members that routes share. The verbs use `declare`. Other routes use `reading` and `managing`. */
function declarationsOf({ all, appliesGrant, name, one, permission, scope, tag }: ResourceNames) {
  const common = { tag, access: 'authenticated', bucket: 'management', cors: false } as const;
  const accessTo = (right: 'read' | 'manage') => ({
    ...common,
    ...(appliesGrant === undefined ? {} : { appliesGrant }),
    scopes: [`${scope}.${right}`],
    permission: `${permission ?? scope}.${right}`,
  });
  const [reading, managing] = [accessTo('read'), accessTo('manage')];
  const declare = (verb: keyof typeof VERBS) => {
    const { word, ...row } = VERBS[verb];
    const access = row.method === 'GET' ? reading : managing;
    const [ending, noun] = verb === 'list' ? ['s', all ?? one] : ['', one];
    return { ...access, ...row, operationId: `${verb}${name}${ending}`, summary: `${word} ${noun}` };
  };
  return { reading, managing, declare };
}

export function resourceRoutes<Row, Of extends TObject = TObject, One extends TObject = Of>(
  resource: Resource<Row, Of, One>,
) {
  const { headers, of, params, schema, url, version, wire } = resource;
  const { declare, managing, reading } = declarationsOf(resource);
  const path = url.slice(0, url.lastIndexOf('/'));
  const collection = of === undefined ? { url: path } : { url: path, params: of };
  const single = params === undefined ? { url } : { url, params };
  const nothing = { status: 204, schema: null } as const;

  const answer = (row: Row, context: Context, place: Place<Of>, status: 200 | 201 = 200): Answer => ({
    status,
    body: wire(row, context, place),
    ...(version === undefined ? {} : { version: version(row, context, place) }),
    ...(headers === undefined ? {} : { headers: headers(row, context) }),
  });
  // A resource's address begins with the collection's, so its parameters include those of the collection.
  const answerOne = (row: Row, { context, params: all }: HandlerInput<unknown, unknown, unknown>): Answer =>
    answer(row, context, { params: all as Static<Of> });
  const makerOfOne =
    (verb: 'get' | 'replace' | 'update') =>
    <Query extends QueryFields = NoQuery, Body extends TSchema = TSchema>(
      given: Operation<One, Query, Body, Row>,
    ): AnyRoute => {
      const shape = { ...declare(verb), ...single, response: { status: 200, schema } } as const;
      return operation(shape, given, (row, input) => answerOne(row, input));
    };

  return {
    reading,
    managing,
    answer,
    list<Found extends Listed<Row>, Query extends QueryFields = NoQuery>({
      envelope,
      schema: items,
      ...given
    }: ListOperation<Of, Query, Found>): AnyRoute {
      const shape = { ...declare('list'), ...collection, response: { status: 200, schema: items } } as const;
      return operation(shape, given, (found, input) => {
        const { links, rows } = 'rows' in found ? found : { rows: found, links: null };
        const body = rows.map((row) => wire(row, input.context, input));
        if (envelope !== undefined) return ok(envelope(body, found, input.context));
        return links === null ? ok(body) : page(body, links);
      });
    },
    create<Query extends QueryFields = NoQuery, Body extends TSchema = TSchema>({
      status = 200,
      ...given
    }: CreateOperation<Of, Query, Body, Row>): AnyRoute {
      const shape = { ...declare('create'), ...collection, response: { status, schema } } as const;
      return operation(shape, given, (row, input) => answer(row, input.context, input, status));
    },
    get: makerOfOne('get'),
    replace: makerOfOne('replace'),
    update: makerOfOne('update'),
    delete<Query extends QueryFields = NoQuery>(given: Operation<One, Query, TSchema, unknown>): AnyRoute {
      return operation({ ...declare('delete'), ...single, response: nothing }, given, noContent);
    },
    lifecycle({ errors = [], ...given }: Lifecycle<One, Row>): AnyRoute[] {
      return ACTIONS.map((action) => {
        const shape = { ...declare(action), ...single, url: `${url}/lifecycle/${action}` };
        if (given.answers === 'nothing') {
          return operation({ ...shape, response: nothing }, { errors, use: useFor(action, given.use) }, noContent);
        }
        const shown = { ...shape, response: { status: 200, schema } } as const;
        return operation(shown, { errors, use: useFor(action, given.use) }, answerOne);
      });
    },
  };
}
