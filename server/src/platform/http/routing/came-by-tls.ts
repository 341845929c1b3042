import type { FastifyRequest } from 'fastify';
import type { EdgePorts } from '../ports.ts';
import { singleHeader } from './single-header.ts';

/** Tells whether the client used TLS, either to this port or, according to a trusted proxy, to that proxy. */
export function cameByTls({ tlsProxies }: Pick<EdgePorts, 'tlsProxies'>, request: FastifyRequest): boolean {
  const { socket } = request.raw;
  if (Reflect.get(socket, 'encrypted') === true) return true;
  return (
    tlsProxies.matches(socket.remoteAddress ?? '') && singleHeader(request.headers['x-forwarded-proto']) === 'https'
  );
}
