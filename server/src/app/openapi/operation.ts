import { type AnyRoute, MAXIMUM_BODY_BYTES } from '../../platform/http/index.ts';
import type { Json } from './named-schemas.ts';
import { describe } from './operation-texts.ts';
import { contentOf, responsesOf } from './responses.ts';
import { narrowerAccessOf, publicAccessOf } from './texts/operations/public-access.ts';
import { PATH_PARAMETERS } from './texts/path-parameters.ts';

export interface Writing {
  readonly hoist: (schema: unknown) => unknown;
  readonly word: string;
}

/** Parameters that many operations share, by the name that references use. */
export const SHARED_PARAMETERS: Readonly<Record<string, Json>> = {
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The `ETag` with which the resource was read, or several of them. If the resource now has a different one, the ' +
      'response is 412 `E0000231`. `*` matches any.',
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

/** A route whose body is bytes lists its own media types. */
const mediaTypesOf = ({ bodyType = 'json', consumes = [] }: AnyRoute): readonly string[] =>
  bodyType === 'bytes' ? consumes : BODY_TYPES[bodyType];

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
  `The maximum size of the body is ${(bodyLimit?.bytes ?? MAXIMUM_BODY_BYTES).toLocaleString('en')} bytes.`;

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

export function operationOf(route: AnyRoute, writing: Writing): Json {
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: describe(route, writing.word),
    tags: [route.tag],
    ...(route.deprecated === true ? { deprecated: true } : {}),
    parameters: parametersOf(route, writing),
    ...bodyOf(route, writing),
    responses: responsesOf(route, writing.hoist),
    security: securityOf(route, writing),
    'x-errors': [...route.errors].sort(),
    'x-rate-limit-bucket': route.bucket,
    'x-cors': route.cors,
  };
}
