import type { Socket } from 'node:net';
import { type ApiError, apiError, newErrorBody } from '../../kernel/errors.ts';
import { newErrorId, newRequestId } from '../../kernel/ids.ts';
import type { EdgePorts } from './ports.ts';

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

function refusalOf(code: string | undefined): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return apiError('E0000002', { reason: 'the header block is too large' }, { status: 431 });
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return apiError('E0000002', { reason: 'the request did not arrive in time' }, { status: 408 });
  }
  return apiError('E0000002', { reason: 'the request is not well-formed HTTP' });
}

/** Faults found by the HTTP parser get the error object and a request id like every other; then the socket is closed. */
export function parserFailure(
  ports: Pick<EdgePorts, 'clock' | 'log' | 'namespace'>,
  error: NodeJS.ErrnoException,
  socket: Socket,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = refusalOf(error.code);
  const errorId = newErrorId();
  const requestId = newRequestId();
  ports.log.debug({ errorId, requestId, err: error }, 'request refused by the parser');
  const body = JSON.stringify(newErrorBody(refusal, errorId));
  const lines = [
    `HTTP/1.1 ${refusal.status} ${REASONS[refusal.status] ?? 'Bad Request'}`,
    `Date: ${ports.clock.now().toUTCString()}`,
    `${ports.namespace.headerPrefix}Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
