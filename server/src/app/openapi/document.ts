import { ERRORS, type ErrorCode } from '../../kernel/errors/errors.ts';
import { DEFAULT_NAMESPACE_WORD, type Namespace } from '../../kernel/words/namespace.ts';
import type { AnyRoute } from '../../platform/http/index.ts';
import { componentsOf, type Json } from './named-schemas.ts';
import { operationOf, SHARED_PARAMETERS, type Writing } from './operation.ts';
import { NOT_SUPPORTED_PAGE, REFUSALS } from './responses.ts';
import { describeScope } from './texts/scopes.ts';
import { TAGS } from './texts/tags.ts';

export const API_TITLE = 'Gatehouse API';
/** The version of the API, which is independent of the version of the release. */
export const API_VERSION = '1';

export interface DocumentOptions {
  readonly title: string;
  readonly version: string;
  readonly namespace: Namespace;
  readonly servers: readonly Json[];
}

const ERROR_SCHEMA = {
  type: 'object',
  description: 'The response to a request that was refused or has failed.',
  required: ['errorCode', 'errorSummary', 'errorId'],
  properties: {
    errorCode: {
      type: 'string',
      description: 'The code of the error, such as `E0000007`. `x-errors` of an operation lists its own codes.',
    },
    errorSummary: { type: 'string', description: 'What is wrong, in words.' },
    errorLink: { type: 'string', description: 'The same value as `errorCode`.' },
    errorId: { type: 'string', description: 'The id of this error, which is also in the log of the server.' },
    errorCauses: {
      type: 'array',
      description: 'One entry for each fault of the request.',
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

const OAUTH_ERROR_SCHEMA = {
  type: 'object',
  description: 'A refusal of the OAuth endpoints (RFC 6749 5.2).',
  properties: {
    error: { type: 'string', description: 'The code of the error, such as `invalid_client`.' },
    error_description: { type: 'string', description: 'What is wrong, in words.' },
  },
};

const jsonOf = (name: string, example: Json): Json => ({
  'application/json': { schema: { $ref: `#/components/schemas/${name}` }, example },
});

const exampleOf = (errorCode: ErrorCode): Json => ({
  errorCode,
  errorSummary: ERRORS[errorCode].summary,
  errorLink: errorCode,
  errorId: 'oaeK3mZ8vR1xQ5nT7wLcB2yDg',
  errorCauses: [],
});

const OAUTH_EXAMPLE = { error: 'invalid_client', error_description: 'The client secret is not right.' };

const RESPONSES: Json = {
  Error: {
    description: 'The service failed, or refused the request for another reason.',
    content: jsonOf('Error', exampleOf('E0000009')),
  },
  OAuthError: {
    description: 'An OAuth error response (RFC 6749 5.2). Exceeded rate limits and failures return `Error`.',
    content: jsonOf('OAuthError', OAUTH_EXAMPLE),
  },
  [NOT_SUPPORTED_PAGE.name]: { description: NOT_SUPPORTED_PAGE.description, content: NOT_SUPPORTED_PAGE.content },
  ...Object.fromEntries(
    Object.values(REFUSALS).map(({ code, description, name }) => [
      name,
      { description, content: jsonOf('Error', exampleOf(code)) },
    ]),
  ),
};

const securitySchemesOf = (scopes: readonly string[], word: string): Json => ({
  apiToken: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'An API token, after the word `SSWS` and a space.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-sid',
    description: 'The session of a browser. Scripts of other origins can use it only without the roles of its user.',
  },
  clientSecret: {
    type: 'http',
    scheme: 'basic',
    description: 'The `client_id` and the secret of an OAuth client, each encoded as a form value (RFC 6749 2.3.1).',
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'An access token of the authorization server whose endpoint is called.',
  },
  oauth2: {
    type: 'oauth2',
    description:
      'An access token of the org’s own authorization server, for a service app with `private_key_jwt`. ' +
      'A `.manage` scope includes the `.read` scope of the same resource.',
    flows: {
      clientCredentials: {
        tokenUrl: '/oauth2/v1/token',
        scopes: Object.fromEntries(scopes.map((scope) => [`${word}.${scope}`, describeScope(scope)])),
      },
    },
  },
});

const byText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

const sortedEntries = (entries: Iterable<readonly [string, unknown]>): Json =>
  Object.fromEntries([...entries].sort(([left], [right]) => byText(left, right)));

function pathsOf(routes: readonly AnyRoute[], writing: Writing): Json {
  const paths = new Map<string, Map<string, unknown>>();
  for (const route of routes) {
    const path = route.url.replace(/:(\w+)/g, '{$1}');
    const methods = paths.get(path) ?? new Map<string, unknown>();
    const method = route.method.toLowerCase();
    if (methods.has(method)) throw new Error(`${route.method} ${route.url} is declared twice`);
    methods.set(method, operationOf(route, writing));
    paths.set(path, methods);
  }
  return sortedEntries([...paths].map(([path, methods]) => [path, sortedEntries(methods)] as const));
}

function tagsOf(routes: readonly AnyRoute[]): readonly Json[] {
  const used = new Set(routes.map(({ tag }) => tag));
  const known = Object.entries(TAGS).filter(([name]) => used.has(name));
  const unknown = [...used].filter((name) => !(name in TAGS)).sort(byText);
  return [...known.map(([name, description]) => ({ name, description })), ...unknown.map((name) => ({ name }))];
}

/** Replaces the default namespace word in the document's JSON with the word of this installation. */
function inWords(text: string, { upper, word }: Namespace): string {
  if (word === DEFAULT_NAMESPACE_WORD) return text;
  const defaultUpper = DEFAULT_NAMESPACE_WORD.toUpperCase();
  return text
    .replace(new RegExp(`\\b${DEFAULT_NAMESPACE_WORD}(?=[.:])`, 'g'), word)
    .replace(new RegExp(`\\b${defaultUpper}(?=["_])`, 'g'), upper);
}

export function openApiDocument(
  routes: readonly AnyRoute[],
  { namespace, servers, title, version }: DocumentOptions,
): Json {
  const { word } = namespace;
  const { hoist, schemas } = componentsOf(routes);
  const paths = pathsOf(routes, { hoist, word });
  const scopes = [...new Set(routes.flatMap((route) => route.scopes))].sort(byText);
  const document: Json = {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description:
        'The operations of an org: they manage its people, apps and policies, sign users in, and serve OAuth 2.0 and ' +
        'OpenID Connect.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers,
    tags: tagsOf(routes),
    paths,
    components: {
      schemas: sortedEntries([['Error', ERROR_SCHEMA], ['OAuthError', OAUTH_ERROR_SCHEMA], ...schemas]),
      parameters: SHARED_PARAMETERS,
      responses: RESPONSES,
      securitySchemes: securitySchemesOf(scopes, word),
    },
  };
  return JSON.parse(inWords(JSON.stringify(document), namespace)) as Json;
}
