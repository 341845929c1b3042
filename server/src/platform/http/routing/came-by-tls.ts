import type { FastifyRequest } from 'fastify';
import type { EdgePorts } from '../ports.ts';

const single = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

/** Tells whether the client used TLS, either to this port or, according to a trusted proxy, to that proxy. */
export function cameByTls({ tlsProxies }: Pick<EdgePorts, 'tlsProxies'>, request: FastifyRequest): boolean {
  const { socket } = request.raw;
  if (Reflect.get(socket, 'encrypted') === true) return true;
  return tlsProxies.matches(socket.remoteAddress ?? '') && single(request.headers['x-forwarded-proto']) === 'https';
}
