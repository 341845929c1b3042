import { randomBytes } from 'node:crypto';
import type { Context } from '../../../kernel/context.ts';
import { oauthError } from '../../../kernel/errors/oauth-errors.ts';
import type { ClientId } from '../../../kernel/words/ids.ts';
import { lockAuthorizingClient } from '../../../management/apps/index.ts';
import { hashSecret } from '../../../platform/crypto/index.ts';
import type { CookieHeaders } from '../../../platform/http/index.ts';
import { consume } from '../../client-authentication/replay-protection.ts';
import { singleUseOfProof } from '../../dpop/verify-proof.ts';
import { insertPushedRequest } from '../../interactions/index.ts';
import type { DpopKey } from '../../token/authenticate-request.ts';
import { refusedEvent } from '../events.ts';
import { uriOf } from '../steps/reference-steps.ts';
import { AUTHORIZATION_STEPS, isRequestStep } from '../steps/steps.ts';
import { type Entries, kept, type Refusal } from './parameter-rules.ts';
import { type AuthorizationPorts, found, isHalt, type RequestState } from './request-state.ts';

/** FAPI 2.0 5.3.2.2 requires a lifetime of less than ten minutes. */
export const PUSHED_LIFETIME_SECONDS = 300;

const PUSH_STEPS = AUTHORIZATION_STEPS.filter(isRequestStep).filter(({ on }) => on.includes('push'));

export interface PushedRequest {
  readonly clientId: ClientId;
  /** The server in the path: an id or `default`; empty for the org's own server. */
  readonly server: string;
  readonly entries: Entries;
  readonly headers: CookieHeaders;
  /** The key of the request's DPoP proof; null when the request had no proof. */
  readonly key: DpopKey | null;
}

/** A DPoP proof has the same meaning as `dpop_jkt`, so both must name the same key (RFC 9449 10.1). */
function refusalOfKey({ parameters }: RequestState, key: DpopKey | null): Refusal | null {
  const { dpop_jkt: named } = parameters;
  if (key === null || named === undefined || named === key.jkt) return null;
  return {
    refused: 'dpopOtherKey',
    description: "The 'dpop_jkt' parameter does not match the key of the DPoP proof JWT.",
  };
}

async function understand(
  ports: AuthorizationPorts,
  context: Context,
  begun: RequestState,
): Promise<RequestState | { readonly known: RequestState; readonly refusal: Refusal }> {
  let known = begun;
  for (const step of PUSH_STEPS) {
    const result = await step.run(known, { ports, context });
    if (isHalt(result) && 'refused' in result) return { known, refusal: result };
    known = { ...known, ...result };
  }
  return known;
}

async function refuse(
  ports: AuthorizationPorts,
  context: Context,
  known: RequestState,
  refusal: Refusal,
): Promise<never> {
  const { client } = known;
  if (client !== undefined && ports.refusals.isWritten(context, client)()) {
    const event = refusedEvent(known, refusal.refused);
    await ports.work(context, async (_tx, record) => record(event));
  }
  const { description, refused } = refusal;
  throw oauthError(refused, description === undefined ? {} : { description });
}

/** Stores a pushed request (RFC 9126) and returns its single-use URI. */
export async function pushRequest(
  ports: AuthorizationPorts,
  context: Context,
  { clientId, entries, headers, key, server }: PushedRequest,
): Promise<string> {
  const named = [...entries.filter(([name]) => name !== 'client_id'), ['client_id', clientId] as const];
  const request = { entries: named, isMixed: false, server, interactionId: null, headers, isPushed: true } as const;
  const understood = await understand(ports, context, { request, parameters: {}, server: null, cookies: [] });
  if ('refusal' in understood) return refuse(ports, context, understood.known, understood.refusal);
  const otherKey = refusalOfKey(understood, key);
  if (otherKey !== null) return refuse(ports, context, understood, otherKey);
  const name = randomBytes(32).toString('base64url');
  const { now, orgId } = context;
  const { requestObject } = understood;
  const stored = {
    hash: hashSecret(name),
    clientId: found(understood, 'client').clientId,
    serverId: understood.server?.facts.id ?? '',
    parameters: { ...kept(understood.parameters), ...(key === null ? {} : { dpop_jkt: key.jkt }) },
    createdAt: now,
    expiresAt: new Date(now.getTime() + PUSHED_LIFETIME_SECONDS * 1_000),
  };
  const refusal = await ports.work(context, async (tx): Promise<Refusal | null> => {
    const client = await lockAuthorizingClient(tx, orgId, clientId);
    if (client?.status !== 'ACTIVE') return { refused: 'invalidClientId' };
    const isNew = requestObject === undefined || (await consume(tx, orgId, clientId, requestObject));
    if (!isNew) return { refused: 'requestObjectUsed' };
    const isProvenAnew = key === null || (await consume(tx, orgId, clientId, singleUseOfProof(key)));
    if (!isProvenAnew) return { refused: 'dpopAlreadyUsed' };
    await insertPushedRequest(tx, orgId, stored);
    return null;
  });
  if (refusal !== null) return refuse(ports, context, understood, refusal);
  return uriOf(name, context.namespace.word);
}
