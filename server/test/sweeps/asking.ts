import type { AnyRoute } from '../../src/platform/http/index.ts';
import type { RequestOptions, TestClient, TestResponse } from '../support/client.ts';
import type { TestOrg, TestService } from '../support/service.ts';

export type Body = TestResponse['body'];

export interface AskOptions extends Omit<RequestOptions, 'body'> {
  readonly client?: TestClient;
  /** An error status to accept, for operations that cannot succeed in the sweep. */
  readonly refused?: number;
}

/** Sends a request and records its operation. */
export type Ask = (method: string, path: string, body?: unknown, options?: AskOptions) => Promise<Body>;

export interface Asked {
  readonly client: TestClient;
  readonly method: string;
  readonly path: string;
  readonly options: RequestOptions;
  readonly route: AnyRoute | undefined;
}

export type Send = (asked: Asked) => Promise<TestResponse>;

const sendPlainly: Send = ({ client, method, options, path }) => client.send(method, path, options);

export interface Use {
  readonly service: TestService;
  readonly org: TestOrg;
  readonly ask: Ask;
  readonly answered: ReadonlySet<string>;
}

const parametersIn = (url: string): number => url.split('/:').length;

export function newUse(service: TestService, send: Send = sendPlainly): Use {
  const { org } = service;
  const answered = new Set<string>();
  // As in the router, fixed text has priority over a parameter.
  const known = service.application.routes
    .toSorted((one, other) => parametersIn(one.url) - parametersIn(other.url))
    .map((route) => ({
      route,
      pattern: new RegExp(`^${route.url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`),
    }));
  const ask: Ask = async (method, path, body, { client = org.admin, refused, ...options } = {}) => {
    const given = body === undefined ? options : { ...options, body };
    const pathname = path.split('?')[0] ?? '';
    const used = known.find(({ pattern, route }) => route.method === method && pattern.test(pathname));
    const response = await send({ client, method, path, options: given, route: used?.route });
    if (response.status >= 400 && response.status !== refused)
      throw new Error(`${method} ${path} answered ${response.status}: ${response.text}`);
    if (used !== undefined) answered.add(used.route.operationId);
    return response.body;
  };
  return { service, org, ask, answered };
}
