import { ERRORS, type ErrorCode } from '../../kernel/errors/errors.ts';
import type { AnyRoute } from '../../platform/http/index.ts';
import type { Json } from './named-schemas.ts';
import { OTHER_RESPONSES, WITHOUT_DECLARED_SUCCESS } from './texts/operations/other-responses.ts';

type Hoist = (schema: unknown) => unknown;

export const contentOf = (mediaTypes: readonly string[], schema: unknown): Json =>
  Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));

const SUCCESSES: Readonly<Record<number, string>> = {
  200: 'The operation succeeded.',
  201: 'The resource was created.',
  202: 'The request was accepted. The work continues in the background.',
  204: 'The operation succeeded. The response has no body.',
  302: 'The browser is redirected.',
  303: 'The browser is redirected.',
};

interface Refusal {
  readonly name: string;
  readonly description: string;
  /** The error code in the example. Refusals with the same status may have other codes. */
  readonly code: ErrorCode;
}

export const REFUSALS: Readonly<Record<number, Refusal>> = {
  400: { name: 'BadRequest', code: 'E0000003', description: 'The request is not valid. `errorCauses` says why.' },
  401: { name: 'Unauthorized', code: 'E0000011', description: 'The credential is missing or not valid.' },
  403: {
    name: 'Forbidden',
    code: 'E0000006',
    description: 'The caller may not perform the operation, or the state of the resource does not allow it.',
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
  501: { name: 'NotSupported', code: 'E0000060', description: 'The resource does not support the operation yet.' },
};

const PAGE = contentOf(['text/html'], { type: 'string' });

/** The response of pages whose feature is missing (ADR 0059). */
export const NOT_SUPPORTED_PAGE = {
  name: 'NotSupportedPage',
  description: 'The feature is not supported yet. The response is a page that says so.',
  content: PAGE,
} as const;

const referenceTo = (name: string): Json => ({ $ref: `#/components/responses/${name}` });

function nameOfRefusal(status: number, { errorShape }: AnyRoute): string | undefined {
  if (status === 501 && errorShape === 'page') return NOT_SUPPORTED_PAGE.name;
  return REFUSALS[status]?.name;
}

function refusalsOf(route: AnyRoute): Json {
  const { access, errors, errorShape } = route;
  if (errorShape === 'oauth' || errorShape === 'registration') return { '4XX': referenceTo('OAuthError') };
  const statuses = [
    ...errors.map((code) => ERRORS[code].status),
    ...(access === 'authenticated' ? [401, 403] : []),
    // Even where no credential is needed, one that is sent must be valid.
    ...(access === 'optional' ? [401] : []),
    429,
  ];
  const ordered = [...new Set(statuses)].sort((one, other) => one - other);
  return Object.fromEntries(
    ordered.flatMap((status) => {
      const name = nameOfRefusal(status, route);
      return name === undefined ? [] : [[String(status), referenceTo(name)]];
    }),
  );
}

function declaredResponseOf({ operationId, response }: AnyRoute, hoist: Hoist): Json {
  if (WITHOUT_DECLARED_SUCCESS.has(operationId)) return {};
  const { status, schema, alternatives = [], mediaType = 'application/json' } = response;
  const described = schema === null ? {} : contentOf([mediaType], hoist(schema));
  const content = schema === null ? {} : { content: { ...described, ...contentOf(alternatives, { type: 'string' }) } };
  return { [String(status)]: { description: SUCCESSES[status], ...content } };
}

const otherResponsesOf = (operationId: string): Json =>
  Object.fromEntries(
    Object.entries(OTHER_RESPONSES[operationId] ?? {}).map(([status, description]) => [
      status,
      { description, ...(status === '200' ? { content: PAGE } : {}) },
    ]),
  );

export const responsesOf = (route: AnyRoute, hoist: Hoist): Json => ({
  ...declaredResponseOf(route, hoist),
  ...otherResponsesOf(route.operationId),
  ...refusalsOf(route),
  default: referenceTo('Error'),
});
