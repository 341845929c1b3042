import { mayBeClientId } from '../../../kernel/words/ids.ts';
import { findAuthorizingClient } from '../../../management/apps/index.ts';
import { readFlowCookies } from '../../../platform/http/index.ts';
import { credentialRefusal } from '../../client-authentication/authenticate-client.ts';
import { findInteraction } from '../../interactions/index.ts';
import { isRefused, kept, type Refusal, readParameters, refusedWith } from '../requests/parameter-rules.ts';
import { isRegisteredRedirectUri } from '../requests/redirect-uri-rules.ts';
import {
  readAcr,
  readPrompt,
  refusalOfChallenge,
  refusalOfNonce,
  refusalOfState,
  refusalOfThumbprint,
} from '../requests/request-rules.ts';
import { type AtRequest, type Found, found, type Halt, type RequestState } from '../requests/request-state.ts';
import { readResponseMode, readResponseType } from '../response-rules.ts';

const NOTHING: Found = {};

/** Reads the parameters of a new request, or those of the interaction that continues in this browser. */
export async function readParametersOnce(
  { request }: RequestState,
  { context: { now, orgId }, ports: { db } }: AtRequest,
): Promise<Found | Halt> {
  const { entries, headers, interactionId, isMixed } = request;
  if (interactionId !== null) {
    const interaction = await findInteraction(db, orgId, interactionId, readFlowCookies(headers), now);
    return interaction?.kind !== 'INTERACTION'
      ? { refused: 'requestExpired' }
      : { interaction, parameters: interaction.parameters };
  }
  if (isMixed) return { refused: 'invalidRequest', description: 'No query parameters are allowed.' };
  const parameters = readParameters(entries);
  return isRefused(parameters) ? parameters : { parameters };
}

export async function findServer(
  { interaction, request }: RequestState,
  { context: { orgId }, ports: { servers } }: AtRequest,
): Promise<Found | Halt> {
  const id = interaction?.serverId ?? request.server;
  if (id === '') return { server: null };
  const server = await servers.find(orgId, id);
  return server === null ? { refused: 'invalidAuthorizationServer' } : { server };
}

/**
 * Finds the client, which must be active. Unknown and inactive clients get the same error, so that callers cannot tell
 * them apart.
 */
export async function identifyClient(
  { parameters }: RequestState,
  { context, ports }: AtRequest,
): Promise<Found | Halt> {
  const { client_id: id } = parameters;
  if (id === undefined) return refusedWith('missingParameter', { parameter: 'client_id' });
  const client = mayBeClientId(id) ? await findAuthorizingClient(ports.db, context.orgId, id) : undefined;
  if (client?.status === 'ACTIVE') return { client };
  ports.refused(credentialRefusal(context));
  return { refused: 'invalidClientId' };
}

export function verifyRedirectUri(known: RequestState): Found | Halt {
  const { redirect_uri: redirectUri } = known.parameters;
  if (redirectUri === undefined) return refusedWith('missingParameter', { parameter: 'redirect_uri' });
  return isRegisteredRedirectUri(redirectUri, found(known, 'client'))
    ? { redirectUri }
    : { refused: 'illegalRedirectUri' };
}

export const requireResponseType = (known: RequestState): Found | Halt =>
  readResponseType(known.parameters, found(known, 'client'));

export const requireResponseMode = (known: RequestState, { context: { namespace } }: AtRequest): Found | Halt =>
  readResponseMode(known.parameters, found(known, 'parts'), namespace);

/** The maximum size of the parameters, which are stored if the request is pushed or its user has to act. */
const MAXIMUM_KEPT_BYTES = 8_192;

export function limitParameters({ parameters }: RequestState): Found | Halt {
  const bytes = Buffer.byteLength(JSON.stringify(kept(parameters)));
  if (bytes <= MAXIMUM_KEPT_BYTES) return NOTHING;
  return { refused: 'invalidRequest', description: 'The parameters are too long.' };
}

const orNothing = (refusal: Refusal | null): Found | Halt => refusal ?? NOTHING;

export const requireState = ({ parameters }: RequestState): Found | Halt => orNothing(refusalOfState(parameters));

export const requireNonce = (known: RequestState): Found | Halt =>
  orNothing(refusalOfNonce(known.parameters, found(known, 'parts')));

/**
 * Checks `code_challenge` and `dpop_jkt`. For codes, requires a challenge from public clients and from clients that are
 * registered to send one (RFC 9700 2.1.1).
 */
export function requirePkce(known: RequestState): Found | Halt {
  const { pkceRequired, tokenEndpointAuthMethod } = found(known, 'client');
  const isRequired = found(known, 'parts').includes('code') && (pkceRequired || tokenEndpointAuthMethod === 'none');
  return orNothing(refusalOfChallenge(known.parameters, isRequired) ?? refusalOfThumbprint(known.parameters));
}

export function understandPrompt({ parameters }: RequestState): Found | Halt {
  const prompt = readPrompt(parameters);
  return isRefused(prompt) ? prompt : { prompt };
}

export function refuseProvider({ parameters: { idp } }: RequestState, { context }: AtRequest): Found | Halt {
  const isOwn = idp === undefined || idp === context.namespace.upper || idp === context.orgId;
  return isOwn ? NOTHING : { refused: 'providerUnsupported' };
}

export const readAssurance = ({ parameters }: RequestState, { context }: AtRequest): Found | Halt =>
  readAcr(parameters, context.namespace.word);
