import { randomBytes } from 'node:crypto';
import type { OrgId } from '../../kernel/words/ids.ts';
import { appTarget, findAppOfClient } from '../../management/apps/index.ts';
import { findUserById, userTarget } from '../../management/users/index.ts';
import { type BoundedCache, boundedCache } from '../../platform/caches/index.ts';
import { type Job, type JobKind, JobRefusedError } from '../../platform/jobs/index.ts';
import { type Outbound, OutboundError } from '../../platform/outbound/index.ts';
import { type Foundation, type NewEvent, systemContext } from '../../system-log/index.ts';
import type { ServerConfigurations } from '../custom-servers/index.ts';
import { ORG_SERVER, type SigningKeys, signStatement } from '../keys/index.ts';
import { deliveryOf, LOGOUT_TOKEN_TYPE, logoutClaims } from './logout-token-rules.ts';
import { BACKCHANNEL_LOGOUT } from './notify-clients.ts';
import { findLogoutUri, type SessionClient } from './store.ts';

export interface LogoutJobPorts extends Pick<Foundation, 'db' | 'work' | 'clock' | 'namespace'> {
  readonly outbound: Pick<Outbound, 'send'>;
  readonly signingKeys: Pick<SigningKeys, 'signer'>;
  readonly servers: Pick<ServerConfigurations, 'find'>;
  /** Returns the org's origin under the base domain. */
  readonly addressOf: (orgId: OrgId) => Promise<string>;
}

const MAXIMUM_ATTEMPTS = 8;
const LIMITS = { maximumBytes: 4_096, timeoutMilliseconds: 5_000 };

/**
 * For this long after a timeout, this process sends the app only notices that are on their last attempt. Otherwise,
 * notices to a slow app would delay those to other apps.
 */
const PAUSE_MILLISECONDS = 30_000;
const MAXIMUM_PAUSED = 10_000;

/** The end of each slow app's pause, in milliseconds since 1970. The keys name the org and the client. */
type Paused = BoundedCache<string, number>;

interface Notice extends Omit<SessionClient, 'baseUrl'> {
  readonly baseUrl: string;
}

function noticeOf(payload: Job['payload']): Notice {
  const member = (name: keyof Notice): string => {
    const value = payload[name];
    if (typeof value !== 'string') throw new JobRefusedError(`a notice without ${name}`);
    return value;
  };
  return {
    sessionExternalId: member('sessionExternalId'),
    userId: member('userId'),
    clientId: member('clientId'),
    serverId: member('serverId'),
    baseUrl: member('baseUrl'),
  };
}

/** Returns the issuer in the app's ID tokens; null when the server was deleted or is inactive. */
async function issuerOf(ports: LogoutJobPorts, orgId: OrgId, { baseUrl, serverId }: Notice): Promise<string | null> {
  const origin = baseUrl === '' ? await ports.addressOf(orgId) : baseUrl;
  if (serverId === ORG_SERVER) return origin;
  const server = await ports.servers.find(orgId, serverId);
  return server === null ? null : origin + server.facts.issuerPath;
}

async function send(
  ports: LogoutJobPorts,
  orgId: OrgId,
  { signal, token, uri }: { readonly uri: string; readonly token: string; readonly signal: AbortSignal },
) {
  try {
    const { status } = await ports.outbound.send({
      orgId,
      method: 'POST',
      url: uri,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: '*/*' },
      body: new URLSearchParams({ logout_token: token }).toString(),
      limits: LIMITS,
      signal,
    });
    const delivery = deliveryOf(status);
    if (delivery === 'told') return null;
    return { reason: `The app answered ${status}`, isFinal: delivery === 'refused', isSlow: false };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    const isFinal = error.reason === 'url' || error.reason === 'port' || error.reason === 'address';
    return { reason: `The app was not reached: ${error.reason}`, isFinal, isSlow: error.reason === 'timeout' };
  }
}

function recordNotice(ports: LogoutJobPorts, orgId: OrgId, notice: Notice, failure: string | null): Promise<void> {
  const { clock, namespace, work } = ports;
  const context = systemContext({ orgId, namespace, name: 'oauth', now: clock.now() });
  return work(context, async (tx, record) => {
    const [app, user] = await Promise.all([
      findAppOfClient(tx, orgId, notice.clientId),
      findUserById(tx, orgId, notice.userId),
    ]);
    const event: NewEvent = {
      eventType: 'user.authentication.slo',
      target: [...(app === undefined ? [] : [appTarget(app)]), ...(user === undefined ? [] : [userTarget(user)])],
      outcome: failure === null ? { result: 'SUCCESS' } : { result: 'FAILURE', reason: failure },
      authentication: { externalSessionId: notice.sessionExternalId },
    };
    record(event);
  });
}

/**
 * Sends a new logout token on each attempt, so that no attempt looks like a replay. Throws if another attempt is due.
 */
async function notifyClient(
  ports: LogoutJobPorts,
  paused: Paused,
  { attempt, isHeld, orgId, payload, signal }: Job,
): Promise<void> {
  const notice = noticeOf(payload);
  const { clientId, serverId, sessionExternalId, userId } = notice;
  const name = `${orgId} ${clientId}`;
  const isLast = attempt >= MAXIMUM_ATTEMPTS;
  if (!isLast && (paused.get(name) ?? 0) > ports.clock.now().getTime()) throw new Error('The app lets others wait');
  const [uri, issuer] = await Promise.all([findLogoutUri(ports.db, orgId, clientId), issuerOf(ports, orgId, notice)]);
  if (uri === undefined || issuer === null) return;
  const now = ports.clock.now();
  const jti = `LT.${randomBytes(32).toString('base64url')}`;
  const claims = logoutClaims({ issuer, clientId, userId, sessionExternalId, jti, now });
  const { jws } = await signStatement(ports.signingKeys, orgId, LOGOUT_TOKEN_TYPE, claims, serverId);
  if (!isHeld()) return;
  const failure = await send(ports, orgId, { uri, token: jws, signal });
  if (failure === null) return recordNotice(ports, orgId, notice, null);
  if (failure.isSlow) paused.set(name, ports.clock.now().getTime() + PAUSE_MILLISECONDS);
  if (!failure.isFinal && !isLast) throw new Error(failure.reason);
  await recordNotice(ports, orgId, notice, failure.reason);
}

export function logoutNotices(ports: LogoutJobPorts): Readonly<Record<string, JobKind>> {
  const paused: Paused = boundedCache(MAXIMUM_PAUSED);
  return {
    [BACKCHANNEL_LOGOUT]: { run: (job) => notifyClient(ports, paused, job), maximumAttempts: MAXIMUM_ATTEMPTS },
  };
}
