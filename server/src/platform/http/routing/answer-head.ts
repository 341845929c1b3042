import type { FastifyReply, FastifyRequest } from 'fastify';
import { newRequestId } from '../../../kernel/words/ids.ts';
import type { RateLimitTaken } from '../limits/rate-limit.ts';
import type { EdgePorts } from '../ports.ts';
import type { EncodedBody } from '../request/answer.ts';
import type { Host } from '../request/host.ts';
import { cameByTls } from './came-by-tls.ts';

type HeaderValue = string | string[];

/** JSON that is text gets a charset, because clients disagree on the encoding of text without one. */
const contentTypeOf = ({ content, mediaType }: EncodedBody): string =>
  typeof content === 'string' && mediaType.includes('json') && !mediaType.includes('charset')
    ? `${mediaType}; charset=utf-8`
    : mediaType;

/**
 * The head of one response. Its headers wait in the flat list of names and values that Node writes as it is, because
 * the steps of Fastify that end in the same list take longer than many handlers.
 */
export class AnswerHead {
  readonly requestId = newRequestId();
  /** The limit to show. Clients compare the end of its window with `Date`, so both must come from the same clock. */
  rateLimit: RateLimitTaken | null = null;
  readonly #list: HeaderValue[];
  readonly #common: number;

  constructor(requestIdName: string, isStrict: boolean) {
    this.#list = [requestIdName, this.requestId, 'x-content-type-options', 'nosniff'];
    this.#list.push('cache-control', 'no-cache, no-store');
    if (isStrict) this.#list.push('strict-transport-security', 'max-age=31536000; includeSubDomains');
    this.#common = this.#list.length;
  }

  /** Sets a header, in place of an earlier value. `name` is in lower case. */
  set(name: string, value: HeaderValue): void {
    const list = this.#list;
    for (let index = 0; index < list.length; index += 2) {
      if (list[index] !== name) continue;
      list[index + 1] = value;
      return;
    }
    list.push(name, value);
  }

  setAll(headers: Readonly<Record<string, HeaderValue>>): void {
    for (const [name, value] of Object.entries(headers)) this.set(name.toLowerCase(), value);
  }

  /** A refusal by another limit, such as that of sign-in attempts, has already set its own headers. */
  #showRateLimit(): void {
    if (this.rateLimit === null || this.#list.includes('x-rate-limit-limit')) return;
    const { limit, remaining, resetEpochSeconds } = this.rateLimit;
    this.#list.push('x-rate-limit-limit', String(limit), 'x-rate-limit-remaining', String(remaining));
    this.#list.push('x-rate-limit-reset', String(resetEpochSeconds));
  }

  /** Sends the response. Null means that it has no body. */
  send(reply: FastifyReply, status: number, body: EncodedBody | null): void {
    this.#showRateLimit();
    if (body !== null) this.set('content-type', contentTypeOf(body));
    // The Content-Length of a 304 would be that of the 200, and a 204 has none (RFC 9110 8.6).
    if (status !== 204 && status !== 304)
      this.set('content-length', String(body === null ? 0 : Buffer.byteLength(body.content)));
    try {
      reply.raw.writeHead(status, this.#list);
    } catch (error) {
      // Node refused a header. Without the headers of this response, the error handler can still send an error.
      this.#list.length = this.#common;
      throw error;
    }
    reply.hijack();
    reply.raw.end(body?.content);
  }
}

/** Returns a function that begins the response to a request. */
export function beginsAnswers(
  ports: Pick<EdgePorts, 'namespace' | 'tlsProxies'>,
): (request: FastifyRequest, host: Host | null) => AnswerHead {
  const requestIdName = `${ports.namespace.headerPrefix}Request-Id`.toLowerCase();
  return (request, host) => {
    // With HSTS for `localhost`, browsers would use HTTPS for every other program on a developer's machine.
    const isLocal = host === null || host.hostname === 'localhost' || host.hostname.endsWith('.localhost');
    const isStrict = !isLocal && !/^[\d.]+$|:/.test(host.hostname) && cameByTls(ports, request);
    return new AnswerHead(requestIdName, isStrict);
  };
}
