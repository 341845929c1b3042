import type { Application } from '../../src/app/application.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import type { Actor, Context, Principal } from '../../src/kernel/context.ts';
import { wholeRole } from '../../src/kernel/words/held-role.ts';
import { newRequestId } from '../../src/kernel/words/ids.ts';
import { type AnyRoute, assertIsOf, type HandlerInput, parseUserAgent } from '../../src/platform/http/index.ts';
import { readQuery } from '../../src/platform/http/request/query-fields.ts';
import type { RequestOptions, TestClient, TestResponse } from './client.ts';

export interface Caller {
  readonly hostname: string;
  readonly baseUrl: string;
  readonly principal: Principal;
  readonly actor: Actor;
}

const NO_VALUES: Readonly<Record<string, string>> = {};

function paramsOf(route: AnyRoute, path: string): Readonly<Record<string, string>> | null {
  const names = route.url.split('/');
  const parts = path.split('/');
  if (names.length !== parts.length) return null;
  const isServed = names.every((name, index) => name.startsWith(':') || name === parts[index]);
  if (!isServed) return null;
  return Object.fromEntries(
    names.flatMap((name, index) =>
      name.startsWith(':') ? [[name.slice(1), decodeURIComponent(parts[index] ?? '')] as const] : [],
    ),
  );
}

function find(routes: readonly AnyRoute[], method: string, path: string) {
  const found = routes.flatMap((route) => {
    const params = route.method === method ? paramsOf(route, path) : null;
    return params === null ? [] : [{ route, params }];
  });
  const [best] = found.toSorted((one, other) => one.route.url.split(':').length - other.route.url.split(':').length);
  if (best === undefined) throw new Error(`no route serves ${method} ${path}`);
  return best;
}

/**
 * Builds a client that calls the handlers of routes directly, with the permissions of a super administrator. The client
 * leaves out authentication and the checks of responses to save time, so use it only to prepare a test.
 */
export function routeCalls(application: Application, clock: Clock, caller: Caller): Pick<TestClient, 'post' | 'put'> {
  async function contextAt(path: string, query: string): Promise<Context> {
    const org = await application.orgDirectory.resolve(caller.hostname);
    if (org === null) throw new Error(`there is no org at ${caller.hostname}`);
    const { device, ...userAgent } = parseUserAgent(undefined);
    return {
      orgId: org.orgId,
      namespace: application.namespace,
      now: clock.now(),
      requestId: newRequestId(),
      transactionType: 'WEB',
      baseUrl: caller.baseUrl,
      canonicalUrl: caller.baseUrl,
      eventNames: org.eventNames,
      principal: caller.principal,
      roles: [wholeRole('SUPER_ADMIN')],
      scopes: null,
      actor: caller.actor,
      client: {
        ipAddress: '127.0.0.1',
        ipChain: ['127.0.0.1'],
        userAgent,
        device,
        deviceFingerprint: null,
        acceptLanguage: null,
      },
      requestUri: path,
      url: `${path}?${query}`,
      idempotency: null,
      precondition: null,
    };
  }
  async function call(method: string, url: string, options: RequestOptions = {}): Promise<TestResponse> {
    const [path = '/', query = ''] = url.split('?');
    const { params, route } = find(application.routes, method, path);
    const rawQuery = [...new URLSearchParams(query)];
    const body: unknown = options.body === undefined ? undefined : JSON.parse(JSON.stringify(options.body));
    if (route.body !== undefined && body !== undefined) assertIsOf(route.body, body);
    const input: HandlerInput<unknown, unknown, unknown> = {
      context: await contextAt(path, query),
      grant: { kind: 'all' },
      params,
      query: readQuery(route.query ?? {}, rawQuery),
      body,
      headers: NO_VALUES,
      rawQuery,
    };
    const answer = await route.handler(input as HandlerInput<never, never, never>);
    const text = answer.body === null ? '' : JSON.stringify(answer.body);
    return { status: answer.status, headers: NO_VALUES, text, body: text === '' ? undefined : JSON.parse(text) };
  }
  return {
    post: (path, options) => call('POST', path, options),
    put: (path, options) => call('PUT', path, options),
  };
}
