import { randomBytes } from 'node:crypto';
import type { Context } from '../../kernel/context.ts';
import { oauthError } from '../../kernel/errors/oauth-errors.ts';
import { DEVICE_CODE_GRANT } from '../../kernel/grant-types.ts';
import { type ClientCredentials, lockLiveClient } from '../../management/apps/index.ts';
import { hashSecret } from '../../platform/crypto/index.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import type { Work } from '../../system-log/index.ts';
import { refusedRequestEvent } from '../authorization/events.ts';
import { refusalOfThumbprint } from '../authorization/requests/request-rules.ts';
import { parameter } from '../client-authentication/credentials-rules.ts';
import { isRefusal, type OAuthErrorRefusal, refusalOf } from '../client-authentication/refusal.ts';
import type { ServerConfiguration } from '../custom-servers/index.ts';
import { INTERVAL_SECONDS, insertPendingAuthorization } from '../pending-authorizations/index.ts';
import { actorOf } from '../token/events.ts';
import { refusalOfGrantType } from '../token/grants/grant-refusals.ts';
import type { Refusals } from '../token/refusals.ts';
import { lacksOpenId, type ReadUserScopes, readCustomScopes, readOrgScopes } from '../user-tokens/index.ts';
import { hashOfUserCode, newUserCode } from './user-codes.ts';

/** The lifetime of a device code and its user code (contract section 7). */
export const DEVICE_LIFETIME_SECONDS = 600;

export interface StartDevicePorts {
  readonly work: Work;
  readonly refusals: Pick<Refusals, 'isWritten'>;
  /** The key of the MACs by which user codes are looked up. */
  readonly userCodeKey: Buffer;
}

export interface StartedDevice {
  readonly deviceCode: string;
  readonly userCode: string;
}

export interface DeviceRequest {
  readonly client: ClientCredentials;
  /** Null means the org's own server. */
  readonly server: ServerConfiguration | null;
  readonly form: Readonly<Record<string, string>>;
}

function readScopes({ namespace }: Context, { client, form, server }: DeviceRequest): ReadUserScopes {
  const asked = parameter(form, 'scope') ?? '';
  const read =
    server === null
      ? readOrgScopes(asked, client.scopes, namespace.word)
      : readCustomScopes(
          asked,
          server.scopes.filter(({ isDefault }) => isDefault || asked !== ''),
        );
  if ('refused' in read) return read;
  return lacksOpenId(read.scopes) ? { refused: 'openidScopeRequired' } : read;
}

const MAXIMUM_TRIES = 3;

async function store(
  { userCodeKey }: StartDevicePorts,
  tx: Tx,
  { now, orgId }: Context,
  { client, form, server }: DeviceRequest,
  scopes: readonly string[],
): Promise<StartedDevice> {
  const deviceCode = randomBytes(32).toString('base64url');
  for (let attempt = 1; attempt <= MAXIMUM_TRIES; attempt += 1) {
    const userCode = newUserCode();
    const isStored = await insertPendingAuthorization(tx, orgId, {
      hash: hashSecret(deviceCode),
      kind: 'DEVICE',
      serverId: server?.facts.id ?? '',
      clientId: client.clientId,
      askedUserId: null,
      bindingMessage: null,
      acr: null,
      userCodeHash: hashOfUserCode(userCodeKey, orgId, userCode),
      scopes,
      dpopJkt: parameter(form, 'dpop_jkt') ?? null,
      intervalSeconds: INTERVAL_SECONDS,
      createdAt: now,
      expiresAt: new Date(now.getTime() + DEVICE_LIFETIME_SECONDS * 1_000),
    });
    if (isStored) return { deviceCode, userCode };
  }
  throw oauthError('temporarilyUnavailable');
}

/**
 * Starts a device authorization (RFC 8628 3.1). Returns refusals instead of throwing them, so that their events are
 * stored.
 */
export function startDevice(
  ports: StartDevicePorts,
  context: Context,
  request: DeviceRequest,
): Promise<StartedDevice | OAuthErrorRefusal> {
  const { client, form, server } = request;
  const isWritten = ports.refusals.isWritten(context, client);
  const understood = (): ReadUserScopes | OAuthErrorRefusal => {
    const wrongGrant = refusalOfGrantType(client, DEVICE_CODE_GRANT, context);
    if (wrongGrant !== null) return wrongGrant;
    const jkt = parameter(form, 'dpop_jkt');
    const wrongKey = refusalOfThumbprint(jkt === undefined ? {} : { dpop_jkt: jkt });
    return wrongKey === null ? readScopes(context, request) : refusalOf(wrongKey.refused, client);
  };
  const read = understood();
  return ports.work(context, async (tx, record): Promise<StartedDevice | OAuthErrorRefusal> => {
    if ('scopes' in read) {
      const live = await lockLiveClient(tx, context.orgId, client.clientId);
      return live?.status === 'ACTIVE'
        ? store(ports, tx, context, request, read.scopes)
        : refusalOf('invalidClient', client);
    }
    const about = { client, server, session: undefined };
    const requestedScopes = (parameter(form, 'scope') ?? '').slice(0, 1_024);
    const debugData = { requestedScopes, grantType: DEVICE_CODE_GRANT };
    if (isWritten()) record({ ...refusedRequestEvent(read.refused, about, debugData), actor: actorOf(client) });
    return isRefusal(read) && 'options' in read ? read : refusalOf(read.refused, client);
  });
}
