import type { Context } from '../../kernel/context.ts';
import { CIBA_GRANT } from '../../kernel/grant-types.ts';
import type { ClientCredentials } from '../../management/apps/index.ts';
import { findUserIdByLogin } from '../../management/users/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { isRefused, type Parameters, type Refusal, readParameters } from '../authorization/requests/parameter-rules.ts';
import type { RequestObjects } from '../authorization/requests/request-object.ts';
import type { ClientAuthenticationMethod } from '../client-authentication/credentials-rules.ts';
import type { SingleUse } from '../client-authentication/replay-protection.ts';
import type { ServerConfiguration } from '../custom-servers/index.ts';
import { type IdTokenPorts, subjectOfHint } from '../user-tokens/index.ts';
import {
  BACKCHANNEL_NUMBERS,
  BACKCHANNEL_PARAMETERS,
  type BackchannelRequest,
  readBackchannelRequest,
  type UserHint,
} from './request-rules.ts';

export interface UnderstandPorts extends Omit<IdTokenPorts, 'db'> {
  readonly db: Db;
  readonly requestObjects: RequestObjects;
}

export interface ReceivedRequest {
  readonly client: ClientCredentials;
  readonly method: ClientAuthenticationMethod;
  /** Null means the org's own server. */
  readonly server: ServerConfiguration | null;
  readonly form: Readonly<Record<string, string>>;
}

export interface UnderstoodRequest extends BackchannelRequest {
  /** Undefined means that the hint names no user. */
  readonly userId: string | undefined;
  /** A signed request with an id can be used only once. This is null if the request has no signature or no id. */
  readonly singleUse: SingleUse | null;
}

/** Refuses all clients except confidential web apps with the CIBA grant type (contract; CIBA Core 4). */
function refusalOfClient({ client, method }: ReceivedRequest): Refusal | null {
  if (method === 'none') return { refused: 'missingClientCredentials' };
  if (client.applicationType !== 'web') return { refused: 'backchannelApplicationType' };
  return client.grantTypes.includes(CIBA_GRANT) ? null : { refused: 'backchannelGrantMissing' };
}

interface SaidParameters {
  readonly parameters: Parameters;
  readonly singleUse: SingleUse | null;
}

/**
 * Reads the parameters of the request. If the request is signed, all of them must be inside the signed object (CIBA
 * Core 7.1.1).
 */
async function readSaid(
  { requestObjects }: UnderstandPorts,
  context: Context,
  { client, form, server }: ReceivedRequest,
): Promise<SaidParameters | Refusal> {
  const parameters = readParameters(Object.entries(form), BACKCHANNEL_PARAMETERS);
  if (isRefused(parameters)) return parameters;
  const { request: token, ...beside } = parameters;
  const { backchannelRequestSigningAlg: algorithm, clientId } = client;
  if (token === undefined) {
    const description = 'The client has to sign its authentication requests.';
    return algorithm === null ? { parameters, singleUse: null } : { refused: 'invalidRequest', description };
  }
  if (algorithm === null) return { refused: 'backchannelAlgorithmMissing' };
  if (Object.keys(beside).length > 0) return { refused: 'invalidRequest' };
  return requestObjects.verify(context, {
    client: { clientId, requestObjectSigningAlg: algorithm },
    issuer: context.baseUrl + (server?.facts.issuerPath ?? ''),
    token,
    words: { lengths: BACKCHANNEL_PARAMETERS, numbers: BACKCHANNEL_NUMBERS },
  });
}

async function findUserId(
  ports: UnderstandPorts,
  { orgId }: Context,
  { client: { clientId }, server }: ReceivedRequest,
  hint: UserHint,
): Promise<string | undefined> {
  if ('login' in hint) return findUserIdByLogin(ports.db, orgId, hint.login);
  return (await subjectOfHint(ports, orgId, { clientId, server, token: hint.idToken })) ?? undefined;
}

/** Reads and checks a client's request before anything is locked. */
export async function understandRequest(
  ports: UnderstandPorts,
  context: Context,
  received: ReceivedRequest,
): Promise<UnderstoodRequest | Refusal> {
  const wrong = refusalOfClient(received);
  if (wrong !== null) return wrong;
  const said = await readSaid(ports, context, received);
  if (isRefused(said)) return said;
  const request = readBackchannelRequest(said.parameters, context.namespace.word);
  if (isRefused(request)) return request;
  const userId = await findUserId(ports, context, received, request.hint);
  return { ...request, userId, singleUse: said.singleUse };
}
