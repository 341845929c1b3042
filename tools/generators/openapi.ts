import { MAXIMUM_BODY_BYTES } from '../../server/src/platform/http/request/body-limits.ts';
import type { AnyRoute } from '../../server/src/platform/http/route.ts';
import { byText } from './markdown.ts';

type Json = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Moves every schema with an `$id` into `components` and leaves a reference in its place. */
function hoist(value: unknown, components: Map<string, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => hoist(item, components));
  if (!isRecord(value)) return value;
  const { $id, ...rest } = value;
  const entries = Object.entries(rest).map(([key, item]) => {
    const isName = key === '$ref' && typeof item === 'string' && !item.startsWith('#');
    return [key, isName ? `#/components/schemas/${item}` : hoist(item, components)] as const;
  });
  const schema = Object.fromEntries(entries);
  if (typeof $id !== 'string') return schema;
  components.set($id, schema);
  return { $ref: `#/components/schemas/${$id}` };
}

const ERROR_SCHEMA = {
  type: 'object',
  required: ['errorCode', 'errorSummary', 'errorId'],
  properties: {
    errorCode: { type: 'string' },
    errorSummary: { type: 'string' },
    errorLink: { type: 'string' },
    errorId: { type: 'string' },
    errorCauses: {
      type: 'array',
      items: {
        type: 'object',
        required: ['errorSummary'],
        properties: {
          errorSummary: { type: 'string' },
          reason: { type: 'string' },
          location: { type: 'string' },
          locationType: { type: 'string' },
          domain: { type: 'string' },
        },
      },
    },
  },
};

const IF_MATCH = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'Entity tags that were read: 412 E0000231 unless the resource still has one of them. `*`: there is one.',
  schema: { type: 'string' },
};

function parametersOf(route: AnyRoute, components: Map<string, unknown>): unknown[] {
  const inPath = Object.entries(route.params?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'path',
    required: true,
    schema: hoist(schema, components),
  }));
  const inQuery = Object.entries(route.query ?? {}).map(([name, field]) => ({
    name,
    in: 'query',
    required: false,
    description: field.description,
    schema: field.repeatable === true ? { type: 'array', items: field.schema } : field.schema,
  }));
  return [...inPath, ...inQuery, ...(route.conditional === true ? [IF_MATCH] : [])];
}

const BODY_TYPES = {
  json: ['application/json'],
  form: ['application/x-www-form-urlencoded'],
  multipart: ['multipart/form-data'],
} as const;

/** Returns the media types of a body; for a body of bytes, those that its route names. */
const mediaTypesOf = ({ bodyType = 'json', consumes = [] }: AnyRoute): readonly string[] =>
  bodyType === 'bytes' ? consumes : BODY_TYPES[bodyType];

const contentOf = (mediaTypes: readonly string[], schema: unknown): Json =>
  Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));

function securityOf({ access, scopes }: AnyRoute): unknown[] {
  if (access === 'public') return [];
  if (access === 'session') return [{ session: [] }];
  if (access === 'optional') return [{}, { apiToken: [] }];
  return [{ apiToken: [] }, { session: [] }, ...(scopes.length > 0 ? [{ oauth2: scopes }] : [])];
}

const bodyLimitOf = ({ bodyLimit }: AnyRoute): string =>
  bodyLimit === undefined
    ? `At most ${MAXIMUM_BODY_BYTES.toLocaleString('en')} bytes.`
    : `At most ${bodyLimit.bytes.toLocaleString('en')} bytes. ${bodyLimit.reason}`;

function operationOf(route: AnyRoute, components: Map<string, unknown>): Json {
  const { status, schema, alternatives = [], mediaType = 'application/json' } = route.response;
  const described = schema === null ? {} : contentOf([mediaType], hoist(schema, components));
  const content = schema === null ? {} : { content: { ...described, ...contentOf(alternatives, { type: 'string' }) } };
  const body =
    route.body === undefined
      ? {}
      : {
          requestBody: {
            description: bodyLimitOf(route),
            required: route.bodyOptional !== true,
            content: contentOf(mediaTypesOf(route), hoist(route.body, components)),
          },
        };
  return {
    operationId: route.operationId,
    summary: route.summary,
    tags: [route.tag],
    parameters: parametersOf(route, components),
    ...body,
    responses: {
      [String(status)]: { description: 'Success', ...content },
      default: { $ref: `#/components/responses/${route.errorShape === 'oauth' ? 'OAuthError' : 'Error'}` },
    },
    security: securityOf(route),
    'x-errors': [...route.errors].sort(byText),
    'x-rate-limit-bucket': route.bucket,
    'x-cors': route.cors,
  };
}

const sortedEntries = (entries: Iterable<readonly [string, unknown]>): Json =>
  Object.fromEntries([...entries].sort(([left], [right]) => byText(left, right)));

/** openapi/<api>.json: an OpenAPI 3.1 document of these routes; its diff is the review of an API change. */
export function generateOpenApi(title: string, version: string, routes: readonly AnyRoute[]): string {
  const components = new Map<string, unknown>([['Error', ERROR_SCHEMA]]);
  const paths = new Map<string, Map<string, unknown>>();
  for (const route of routes) {
    const path = route.url.replace(/:(\w+)/g, '{$1}');
    const methods = paths.get(path) ?? new Map<string, unknown>();
    const method = route.method.toLowerCase();
    if (methods.has(method)) throw new Error(`${route.method} ${route.url} is declared twice`);
    methods.set(method, operationOf(route, components));
    paths.set(path, methods);
  }
  const scopes = [...new Set(routes.flatMap((route) => route.scopes))].sort(byText);
  const document = {
    openapi: '3.1.0',
    info: { title, version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    paths: sortedEntries([...paths].map(([path, methods]) => [path, sortedEntries(methods)] as const)),
    components: {
      schemas: sortedEntries(components),
      responses: {
        Error: {
          description: 'Every 4xx and 5xx; the codes are in docs/generated/errors.md.',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
        OAuthError: {
          description: 'What the OAuth protocol names (RFC 6749 5.2); limits and faults are the error object here too.',
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: { error: { type: 'string' }, error_description: { type: 'string' } },
              },
            },
          },
        },
      },
      securitySchemes: {
        apiToken: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'SSWS <API token>' },
        session: { type: 'apiKey', in: 'cookie', name: '__Host-sid', description: 'The session of a browser' },
        oauth2: {
          type: 'oauth2',
          flows: {
            clientCredentials: {
              tokenUrl: '/oauth2/v1/token',
              scopes: Object.fromEntries(scopes.map((scope) => [scope, ''])),
            },
          },
        },
      },
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
