import { hashSecret } from '../../../platform/crypto/index.ts';
import { findPushedRequest } from '../../interactions/index.ts';
import { besideObject, isRefused } from '../requests/parameter-rules.ts';
import { type AtRequest, type Found, found, type Halt, type RequestState } from '../requests/request-state.ts';

/** Builds the URI of a pushed request, for example `urn:svc:...` (contract section 1). */
export const uriOf = (name: string, word: string): string => `urn:${word}:${name}`;

/** Returns null if the URI does not have the form that `uriOf` builds. */
const hashOfUri = (uri: string, word: string): Buffer | null => {
  const prefix = uriOf('', word);
  const name = uri.slice(prefix.length);
  return uri.startsWith(prefix) && /^[A-Za-z0-9_-]{43}$/.test(name) ? hashSecret(name) : null;
};

/** Reads a pushed request, whose parameters replace those outside of it (RFC 9126 4). */
export async function usePushedRequest(known: RequestState, { context, ports }: AtRequest): Promise<Found | Halt> {
  const { client_id: clientId, request, request_uri: uri } = known.parameters;
  if (uri === undefined) return {};
  if (known.request.isPushed === true) return { refused: 'requestUriPushed' };
  if (request !== undefined) return { refused: 'requestObjectAndUri' };
  const { namespace, now, orgId } = context;
  if (!uri.startsWith(uriOf('', namespace.word))) return {};
  const hash = hashOfUri(uri, namespace.word);
  const pushed = hash === null ? undefined : await findPushedRequest(ports.db, orgId, hash, now);
  if (hash === null || pushed === undefined) return { refused: 'invalidRequestUri' };
  if (pushed.clientId !== clientId) return { refused: 'requestUriOfOtherClient' };
  if (pushed.serverId !== (known.server?.facts.id ?? '')) return { refused: 'requestUriOfOtherServer' };
  return { parameters: pushed.parameters, pushedHash: hash };
}

/**
 * Refuses a `request_uri` that names no pushed request, because this service never fetches request objects (OpenID
 * Connect Core 6.2).
 */
export const refuseAddress = ({ parameters }: RequestState): Found | Halt =>
  parameters['request_uri'] === undefined ? {} : { refused: 'requestUriNotSupported' };

/**
 * Refuses a request that was not pushed if the client must push its requests (RFC 9126 6). A continued interaction
 * passed this check when it began.
 */
export function requirePushed(known: RequestState): Found | Halt {
  const { interaction, pushedHash, request } = known;
  const isPushed = request.isPushed === true || pushedHash !== undefined || interaction !== undefined;
  if (isPushed || !found(known, 'client').pushesRequests) return {};
  return { refused: 'invalidRequest', description: 'The client must use pushed authorization requests.' };
}

/**
 * Verifies a request object. Its parameters take precedence over those outside of it (OpenID Connect Core 6.1), some of
 * which are ignored (see `besideObject`).
 */
export async function verifyRequestObject(known: RequestState, { context, ports }: AtRequest): Promise<Found | Halt> {
  const { request: token } = known.parameters;
  if (token === undefined) return {};
  const issuer = context.baseUrl + (known.server?.facts.issuerPath ?? '');
  const verified = await ports.requestObjects.verify(context, { client: found(known, 'client'), issuer, token });
  if (isRefused(verified)) return verified;
  const { parameters, singleUse } = verified;
  const merged = { ...besideObject(known.parameters), ...parameters };
  return { parameters: merged, ...(singleUse === null ? {} : { requestObject: singleUse }) };
}
