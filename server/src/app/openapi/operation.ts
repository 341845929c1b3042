import { ERRORS, type ErrorCode } from '../../kernel/errors/errors.ts';
import { type AnyRoute, MAXIMUM_BODY_BYTES } from '../../platform/http/index.ts';
import type { Json } from './named-schemas.ts';
import { describe } from './operation-texts.ts';
import { narrowerAccessOf, publicAccessOf } from './texts/operations/public-access.ts';
import { PATH_PARAMETERS } from './texts/path-parameters.ts';

export interface Writing {
  readonly hoist: (schema: unknown) => unknown;
  /** The namespace word, which is the prefix of scopes and permissions. */
  readonly word: string;
}

/** Parameters that many operations share, by the name that references use. */
export const SHARED_PARAMETERS: Readonly<Record<string, Json>> = {
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The `ETag` with which the resource was read, or several of them. If it has another one now, the answer is 412 ' +
      '`E0000231`. `*` stands for any.',
    schema: { type: 'string' },
    example: '"W7yH3kTq"',
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A key that the client chooses. A repeated request with the same key has no second effect; another request ' +
      'with this key gets 409 `E0000195`.',
    schema: { type: 'string', maxLength: 255 },
    example: 'b1f8a7c2-0d64-4c6e-9c4e-6a2f3d5e7b90',
  },
};

const shared = (name: string): Json => ({ $ref: `#/components/parameters/${name}` });

function parametersOf(route: AnyRoute, { hoist }: Writing): unknown[] {
  const inPath = Object.entries(route.params?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'path',
    required: true,
    ...PATH_PARAMETERS[name],
    schema: hoist(schema),
  }));
  const inQuery = Object.entries(route.query ?? {}).map(([name, field]) => ({
    name,
    in: 'query',
    required: false,
    description: field.description,
    schema: field.repeatable === true ? { type: 'array', items: field.schema } : field.schema,
  }));
  return [
    ...inPath,
    ...inQuery,
    ...(route.conditional === true ? [shared('IfMatch')] : []),
    ...(route.idempotent === true ? [shared('IdempotencyKey')] : []),
  ];
}

const BODY_TYPES = {
  json: ['application/json'],
  form: ['application/x-www-form-urlencoded'],
  multipart: ['multipart/form-data'],
} as const;

/** Returns the media types of a body. A route whose body is bytes lists its own media types. */
const mediaTypesOf = ({ bodyType = 'json', consumes = [] }: AnyRoute): readonly string[] =>
  bodyType === 'bytes' ? consumes : BODY_TYPES[bodyType];

const contentOf = (mediaTypes: readonly string[], schema: unknown): Json =>
  Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));

function securityOf({ access, operationId, scopes }: AnyRoute, { word }: Writing): readonly unknown[] {
  if (access === 'public') return publicAccessOf(operationId).security;
  if (access === 'session') return [{ session: [] }];
  if (access === 'optional') return [{}, { apiToken: [] }];
  const narrower = narrowerAccessOf(operationId);
  if (narrower !== undefined) return narrower.security;
  const oauth2 = scopes.map((scope) => `${word}.${scope}`);
  return [{ apiToken: [] }, { session: [] }, ...(scopes.length > 0 ? [{ oauth2 }] : [])];
}

const bodyLimitOf = ({ bodyLimit }: AnyRoute): string =>
  `The body has at most ${(bodyLimit?.bytes ?? MAXIMUM_BODY_BYTES).toLocaleString('en')} bytes.`;

const bodyOf = (route: AnyRoute, { hoist }: Writing): Json =>
  route.body === undefined
    ? {}
    : {
        requestBody: {
          description: bodyLimitOf(route),
          required: route.bodyOptional !== true,
          content: contentOf(mediaTypesOf(route), hoist(route.body)),
        },
      };

const SUCCESSES: Readonly<Record<number, string>> = {
  200: 'The operation succeeded.',
  201: 'The resource was created.',
  202: 'The request was accepted. The work continues in the background.',
  204: 'The operation succeeded. The answer has no body.',
  302: 'The browser is redirected.',
  303: 'The browser is redirected.',
};

interface Refusal {
  readonly name: string;
  readonly description: string;
  /** The error code in the example. Refusals with the same status may have other codes. */
  readonly code: ErrorCode;
}

/** The statuses of refusals, and how the document names and explains them. */
export const REFUSALS: Readonly<Record<number, Refusal>> = {
  400: { name: 'BadRequest', code: 'E0000003', description: 'The request is not valid. `errorCauses` says why.' },
  401: { name: 'Unauthorized', code: 'E0000011', description: 'The credential is missing or not valid.' },
  403: {
    name: 'Forbidden',
    code: 'E0000006',
    description: 'The caller, or the state of the resource, does not allow the operation.',
  },
  404: {
    name: 'NotFound',
    code: 'E0000008',
    description: 'There is no such resource in this org, or the caller may not see it.',
  },
  409: { name: 'Conflict', code: 'E0000062', description: 'The request conflicts with the current state of the org.' },
  412: { name: 'PreconditionFailed', code: 'E0000231', description: 'The resource has changed since it was read.' },
  422: {
    name: 'Unprocessable',
    code: 'E0000189',
    description: 'The request is well-formed, but the resource does not support what it asks for.',
  },
  429: {
    name: 'TooManyRequests',
    code: 'E0000047',
    description: 'A rate limit is exceeded. `X-Rate-Limit-Reset` says when the next requests are accepted.',
  },
};

function refusalsOf({ access, errors, errorShape }: AnyRoute): Json {
  if (errorShape === 'oauth' || errorShape === 'registration')
    return { '4XX': { $ref: '#/components/responses/OAuthError' } };
  const statuses = [
    ...errors.map((code) => ERRORS[code].status),
    ...(access === 'authenticated' ? [401, 403] : []),
    429,
  ];
  const ordered = [...new Set(statuses)].sort((one, other) => one - other);
  return Object.fromEntries(
    ordered.flatMap((status) => {
      const refusal = REFUSALS[status];
      return refusal === undefined ? [] : [[String(status), { $ref: `#/components/responses/${refusal.name}` }]];
    }),
  );
}

function answersOf(route: AnyRoute, { hoist }: Writing): Json {
  const { status, schema, alternatives = [], mediaType = 'application/json' } = route.response;
  const described = schema === null ? {} : contentOf([mediaType], hoist(schema));
  const content = schema === null ? {} : { content: { ...described, ...contentOf(alternatives, { type: 'string' }) } };
  return {
    [String(status)]: { description: SUCCESSES[status], ...content },
    ...refusalsOf(route),
    default: { $ref: '#/components/responses/Error' },
  };
}

export function operationOf(route: AnyRoute, writing: Writing): Json {
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: describe(route, writing.word),
    tags: [route.tag],
    parameters: parametersOf(route, writing),
    ...bodyOf(route, writing),
    responses: answersOf(route, writing),
    security: securityOf(route, writing),
    'x-errors': [...route.errors].sort(),
    'x-rate-limit-bucket': route.bucket,
    'x-cors': route.cors,
  };
}
