import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerFactory, RouteOptions } from 'fastify';
import Fastify from 'fastify';
import { apiError } from '../../kernel/errors/errors.ts';
import { type RenderedError, renderError } from './errors/error-rendering.ts';
import { parserFailure } from './errors/parser-failure.ts';
import { wantsPage } from './errors/wants-page.ts';
import { linkLines } from './lists/link-lines.ts';
import type { EdgePorts } from './ports.ts';
import type { Answer } from './request/answer.ts';
import { MAXIMUM_BODY_BYTES } from './request/body-limits.ts';
import { canonicalTarget } from './request/canonical-target.ts';
import { readQuery } from './request/query-fields.ts';
import { idempotencyOf, readBody } from './request/request-body.ts';
import type { AnyRoute, HandlerInput } from './route.ts';
import { authorize, contextOf } from './routing/authorization.ts';
import { type Admitted, admit, isDistrusted, stampAnswer } from './routing/intake.ts';
import { methodsAt } from './routing/route-index.ts';
import { preconditionOf } from './tags/preconditions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    admitted: Admitted | null;
    gatehouseRequestId: string;
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
  error: unknown,
): Promise<FastifyReply> {
  const route = request.routeOptions.config.route ?? null;
  const rendered = renderError(error, route?.errorShape);
  logError(ports, request.gatehouseRequestId, error, rendered);
  const { content, errorId, headers, status } = rendered;
  const [path = '/'] = (request.raw.url ?? '/').split('?', 1);
  if (ports.errorPage === undefined || !wantsPage({ route, path, headers: request.headers })) {
    return reply.code(status).headers(headers).header('content-type', 'application/json').send(content);
  }
  const orgId = request.admitted?.org.orgId ?? null;
  const page = await ports.errorPage({ status, errorId, orgId, headers: request.headers });
  reply.code(status).headers(headers).headers(page.headers).header('content-type', 'text/html; charset=utf-8');
  return reply.send(page.content);
}

function sendAnswer(
  { tags }: EdgePorts,
  request: FastifyRequest,
  reply: FastifyReply,
  admitted: Admitted,
  answer: Answer,
): FastifyReply {
  reply.code(answer.status);
  if (answer.version !== undefined)
    reply.header('ETag', tags.current({ orgId: admitted.org.orgId, ...answer.version }));
  if (answer.headers !== undefined) reply.headers(answer.headers);
  if (answer.links !== undefined) reply.header('Link', linkLines(admitted.baseUrl, admitted.path, answer.links));
  const { encoded } = answer;
  if (encoded !== undefined) return reply.header('content-type', encoded.mediaType).send(encoded.content);
  if (answer.body === null) return reply.send();
  const mediaType = request.routeOptions.config.route?.response.mediaType ?? 'application/json';
  return reply.header('content-type', mediaType).send(JSON.stringify(answer.body));
}

function register(app: FastifyInstance, ports: EdgePorts, route: AnyRoute): void {
  const options: RouteOptions = {
    method: route.method,
    url: route.url,
    config: { route },
    bodyLimit: route.bodyLimit?.bytes ?? MAXIMUM_BODY_BYTES,
    handler: async (request, reply) => {
      const admitted = request.admitted;
      if (admitted === null) throw new Error('a request reached its handler without admission');
      const authorized = await authorize(ports, route, admitted, request, reply);
      const caller = authorized.authenticated?.actor.id ?? 'anonymous';
      const key = request.headers['idempotency-key'];
      const context = contextOf(ports, admitted, authorized, {
        idempotency: idempotencyOf(route, key, caller, admitted.url, request.body),
        precondition: preconditionOf(ports, route, request.headers['if-match'], admitted.org.orgId),
      });
      const input: HandlerInput<unknown, unknown, unknown> = {
        context,
        grant: authorized.grant,
        params: request.params,
        query: readQuery(route.query ?? {}, admitted.query),
        body: readBody(route, request.body, request.headers['content-type']),
        headers: request.headers,
        rawQuery: admitted.query,
      };
      return sendAnswer(
        ports,
        request,
        reply,
        admitted,
        await route.handler(input as HandlerInput<never, never, never>),
      );
    },
  };
  app.route(options);
}

function refuseUnknown(routes: readonly AnyRoute[], request: FastifyRequest, reply: FastifyReply): never {
  const methods = methodsAt(routes, request.admitted?.path ?? '/');
  if (methods.length === 0) throw apiError('E0000008');
  reply.header('Allow', methods.join(', '));
  throw apiError('E0000022');
}

/** Builds the server. Hooks on the root instance also run for requests without a route. */
export function createEdgeServer(
  ports: EdgePorts,
  routes: readonly AnyRoute[],
  serverFactory: FastifyServerFactory,
): FastifyInstance {
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
      request.gatehouseRequestId = stampAnswer(ports, request, reply);
      void sendError(ports, request, reply, error);
    },
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => parserFailure(ports, error, socket),
  });
  app.decorateRequest('admitted', null);
  app.decorateRequest('gatehouseRequestId', '');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', async (request, reply) => {
    if (isDistrusted(request)) return reply.hijack();
    request.gatehouseRequestId = stampAnswer(ports, request, reply);
    request.admitted = await admit(ports, routes, request.gatehouseRequestId, request, reply);
    if (request.admitted === null) return reply.code(204).send();
    // Requests without a route are refused here, not in the not-found handler, so that their bodies need not be read.
    if (request.routeOptions.config.route === undefined) refuseUnknown(routes, request, reply);
    return undefined;
  });
  const { answered } = ports;
  if (answered !== undefined) {
    app.addHook('onResponse', async (request, reply) => {
      const operationId = request.routeOptions.config.route?.operationId ?? null;
      answered({ operationId, status: reply.statusCode, milliseconds: reply.elapsedTime });
    });
  }
  app.setErrorHandler(async (error, request, reply) => sendError(ports, request, reply, error));
  app.setNotFoundHandler((request, reply) => refuseUnknown(routes, request, reply));
  for (const route of routes) register(app, ports, route);
  return app;
}
