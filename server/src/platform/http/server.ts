import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerFactory, RouteOptions } from 'fastify';
import Fastify from 'fastify';
import { apiError } from '../../kernel/errors/errors.ts';
import { type RenderedError, renderError } from './errors/error-rendering.ts';
import { parserFailure } from './errors/parser-failure.ts';
import { wantsPage } from './errors/wants-page.ts';
import { linkLines } from './lists/link-lines.ts';
import type { EdgePorts } from './ports.ts';
import type { Answer, EncodedBody } from './request/answer.ts';
import { MAXIMUM_BODY_BYTES } from './request/body-limits.ts';
import { canonicalTarget } from './request/canonical-target.ts';
import { parseHost } from './request/host.ts';
import { readQuery } from './request/query-fields.ts';
import { idempotencyOf, readBody } from './request/request-body.ts';
import type { AnyRoute, HandlerInput } from './route.ts';
import { type AnswerHead, beginsAnswers } from './routing/answer-head.ts';
import { authenticate } from './routing/authentication.ts';
import { authorize, contextOf } from './routing/authorization.ts';
import { type Admitted, admit, isDistrusted } from './routing/intake.ts';
import { methodsAt } from './routing/route-index.ts';
import { preconditionOf } from './tags/preconditions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    admitted: Admitted | null;
    /** The head of the response. Null means that no hook has run yet. */
    head: AnswerHead | null;
  }
  interface FastifyContextConfig {
    route?: AnyRoute;
  }
}

const messageOf = (error: unknown): string | null => (error instanceof Error ? error.message : null);

/** The stack is logged only for a fault of this program. */
function logError(ports: EdgePorts, requestId: string, error: unknown, rendered: RenderedError): void {
  const facts = { errorId: rendered.errorId, requestId, status: rendered.status };
  if (rendered.unexpected) return ports.log.error({ ...facts, err: error }, 'request failed');
  const refusal = { ...facts, reason: messageOf(error) };
  if (rendered.status < 500) return ports.log.info(refusal, 'request refused');
  // During a database outage, the causes are more helpful than the stacks, which are alike.
  const cause = error instanceof Error ? messageOf(error.cause) : null;
  return ports.log.warn({ ...refusal, cause }, 'request refused');
}

async function sendError(
  ports: EdgePorts,
  request: FastifyRequest,
  reply: FastifyReply,
  head: AnswerHead,
  error: unknown,
): Promise<void> {
  const route = request.routeOptions.config.route ?? null;
  const rendered = renderError(error, route?.errorShape);
  logError(ports, head.requestId, error, rendered);
  const { content, errorId, headers, status } = rendered;
  // Fastify closes the connection of a client whose body it refused to read.
  const { connection } = reply.getHeaders();
  if (connection !== undefined) head.set('connection', String(connection));
  head.setAll(headers);
  const [path = '/'] = (request.raw.url ?? '/').split('?', 1);
  if (ports.errorPage === undefined || !wantsPage({ route, path, headers: request.headers })) {
    return head.send(reply, status, { mediaType: 'application/json', content });
  }
  const orgId = request.admitted?.org.orgId ?? null;
  const page = await ports.errorPage({ status, errorId, orgId, headers: request.headers });
  head.setAll(page.headers);
  return head.send(reply, status, { mediaType: 'text/html; charset=utf-8', content: page.content });
}

function encodedBodyOf({ body, encoded }: Answer, { response }: AnyRoute): EncodedBody | null {
  if (encoded !== undefined) return encoded;
  return body === null ? null : { mediaType: response.mediaType ?? 'application/json', content: JSON.stringify(body) };
}

function sendAnswer(
  { tags }: EdgePorts,
  route: AnyRoute,
  reply: FastifyReply,
  { baseUrl, head, org, path }: Admitted,
  answer: Answer,
): void {
  const { headers, links, status, version } = answer;
  if (version !== undefined) {
    const { id, kind, revision } = version;
    head.set('etag', tags.current({ orgId: org.orgId, kind, id, revision }));
  }
  if (headers !== undefined) head.setAll(headers);
  if (links !== undefined) head.set('link', linkLines(baseUrl, path, links));
  head.send(reply, status, encodedBodyOf(answer, route));
}

/** A process may be paused after it has checked the rights of a caller, and they may be gone when it goes on. */
const CHANGE_MILLISECONDS = 30_000;

function register(app: FastifyInstance, ports: EdgePorts, route: AnyRoute): void {
  const options: RouteOptions = {
    method: route.method,
    url: route.url,
    config: { route },
    bodyLimit: route.bodyLimit?.bytes ?? MAXIMUM_BODY_BYTES,
    handler: async (request, reply) => {
      const admitted = request.admitted;
      if (admitted === null) throw new Error('a request reached its handler without admission');
      const changesUntil = performance.now() + CHANGE_MILLISECONDS;
      const authenticating = authenticate(ports, route, request, admitted);
      const authenticated = authenticating instanceof Promise ? await authenticating : authenticating;
      const grant = authorize(ports, route, admitted, authenticated);
      const caller = authenticated?.actor.id ?? 'anonymous';
      const key = request.headers['idempotency-key'];
      const context = contextOf(ports, admitted, authenticated, {
        idempotency: idempotencyOf(route, key, caller, admitted.url, request.body),
        precondition: preconditionOf(ports, route, request.headers['if-match'], admitted.org.orgId),
        changesUntil,
      });
      const input: HandlerInput<unknown, unknown, unknown> = {
        context,
        grant,
        params: request.params,
        query: readQuery(route.query ?? {}, admitted.query),
        body: readBody(route, request.body, request.headers['content-type']),
        headers: request.headers,
        rawQuery: admitted.query,
      };
      const answer = await route.handler(input as HandlerInput<never, never, never>);
      sendAnswer(ports, route, reply, admitted, answer);
    },
  };
  app.route(options);
}

function refuseUnknown(routes: readonly AnyRoute[], { admitted, head }: FastifyRequest): never {
  const methods = methodsAt(routes, admitted?.path ?? '/');
  if (methods.length === 0) throw apiError('E0000008');
  head?.set('allow', methods.join(', '));
  throw apiError('E0000022');
}

/** Builds the server. Its hooks are on the root instance, so that they also run for requests without a route. */
export function createEdgeServer(
  ports: EdgePorts,
  routes: readonly AnyRoute[],
  serverFactory: FastifyServerFactory,
): FastifyInstance {
  const begin = beginsAnswers(ports);
  const headOf = (request: FastifyRequest): AnswerHead => {
    request.head ??= begin(request, parseHost(request.headers.host));
    return request.head;
  };
  const app = Fastify({
    serverFactory,
    logger: false,
    bodyLimit: MAXIMUM_BODY_BYTES,
    // The target is normalised once, before routing, so that all later code reads the same target.
    rewriteUrl: ({ headers, method, url = '/' }) => {
      const requested = headers['access-control-request-method'];
      return canonicalTarget({ method, requestedMethod: requested, target: url });
    },
    routerOptions: { maxParamLength: 2_048, caseSensitive: true, ignoreTrailingSlash: false },
    exposeHeadRoutes: false,
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      void sendError(ports, request, reply, headOf(request), error);
    },
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => parserFailure(ports, error, socket),
  });
  app.decorateRequest('admitted', null);
  app.decorateRequest('head', null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', async (request, reply) => {
    if (isDistrusted(request)) return reply.hijack();
    const host = parseHost(request.headers.host);
    request.head = begin(request, host);
    request.admitted = await admit(ports, routes, request.head, host, request);
    if (request.admitted === null) return request.head.send(reply, 204, null);
    // Requests without a route are refused here, not in the not-found handler, so that their bodies need not be read.
    if (request.routeOptions.config.route === undefined) refuseUnknown(routes, request);
    return undefined;
  });
  const { answered } = ports;
  if (answered !== undefined) {
    app.addHook('onResponse', (request, reply, done) => {
      const operationId = request.routeOptions.config.route?.operationId ?? null;
      answered({ operationId, status: reply.statusCode, milliseconds: reply.elapsedTime });
      done();
    });
  }
  app.setErrorHandler(async (error, request, reply) => sendError(ports, request, reply, headOf(request), error));
  app.setNotFoundHandler((request) => refuseUnknown(routes, request));
  for (const route of routes) register(app, ports, route);
  return app;
}
