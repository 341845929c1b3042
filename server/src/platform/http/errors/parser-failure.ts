import type { Socket } from 'node:net';
import { type ApiError, apiError, newErrorBody } from '../../../kernel/errors/errors.ts';
import { unsupportedCharacter } from '../../../kernel/errors/field-errors.ts';
import { newErrorId, newRequestId } from '../../../kernel/words/ids.ts';
import type { EdgePorts } from '../ports.ts';

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/**
 * After a response, bytes are still read for this long. An immediate close could reset the connection before the client
 * has read the response.
 */
const LINGER_MILLISECONDS = 1_000;

const answered = new WeakSet<Socket>();

/**
 * Names the place of a raw 4-byte character: `path`, the name of a query parameter, or `query` if the name is
 * unreadable.
 */
function fieldOfUnsupportedCharacter(packet: unknown): string | null {
  if (!Buffer.isBuffer(packet)) return null;
  const target =
    packet
      .subarray(0, packet.indexOf('\r\n') + 1)
      .toString('latin1')
      .split(' ')[1] ?? '';
  const at = target.search(/[\xf0-\xff]/);
  if (at < 0) return null;
  const question = target.indexOf('?');
  if (question < 0 || question > at) return 'path';
  const start = Math.max(question, target.lastIndexOf('&', at)) + 1;
  return /^[\w.-]+/.exec(target.slice(start, at))?.[0] ?? 'query';
}

function refusalOf(error: NodeJS.ErrnoException): ApiError {
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return apiError('E0000002', { reason: 'the header block is too large' }, { status: 431 });
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return apiError('E0000002', { reason: 'the request did not arrive in time' }, { status: 408 });
  }
  const field = error.code === 'HPE_INVALID_URL' ? fieldOfUnsupportedCharacter(Reflect.get(error, 'rawPacket')) : null;
  if (field !== null) return unsupportedCharacter(field);
  return apiError('E0000002', { reason: 'the request is not well-formed HTTP' });
}

/**
 * Answers an error of the HTTP parser with an error object if the client can still read it, and then closes the socket.
 */
export function parserFailure(
  ports: Pick<EdgePorts, 'clock' | 'log' | 'namespace'>,
  error: NodeJS.ErrnoException,
  socket: Socket,
): void {
  // The parser may fail again with each further packet.
  if (answered.has(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  answered.add(socket);
  const refusal = refusalOf(error);
  const errorId = newErrorId();
  const requestId = newRequestId();
  ports.log.info(
    { errorId, requestId, status: refusal.status, reason: error.message },
    'request refused by the parser',
  );
  const body = JSON.stringify(newErrorBody(refusal, errorId));
  const lines = [
    `HTTP/1.1 ${refusal.status} ${REASONS[refusal.status] ?? 'Bad Request'}`,
    `Date: ${ports.clock.now().toUTCString()}`,
    `${ports.namespace.headerPrefix}Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-cache, no-store',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), LINGER_MILLISECONDS);
  socket.once('close', () => clearTimeout(timer));
}
