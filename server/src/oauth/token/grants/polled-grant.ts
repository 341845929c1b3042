import type { Context } from '../../../kernel/context.ts';
import type { OAuthErrorCode } from '../../../kernel/errors/oauth-errors.ts';
import { CIBA_GRANT, DEVICE_CODE_GRANT } from '../../../kernel/grant-types.ts';
import { hashSecret } from '../../../platform/crypto/index.ts';
import { parameter } from '../../client-authentication/credentials-rules.ts';
import { refusalOf, refusalWith } from '../../client-authentication/refusal.ts';
import { consume } from '../../client-authentication/replay-protection.ts';
import {
  findPendingAuthorization,
  intervalAfter,
  lockPendingAuthorization,
  notePoll,
  type PendingAuthorization,
  type PendingAuthorizationKind,
  type PollVerdict,
  pollVerdict,
  takePendingAuthorization,
} from '../../pending-authorizations/index.ts';
import type { Authentication } from '../../user-tokens/index.ts';
import { type AuthenticatedRequest, singleUsesOf } from '../authenticate-request.ts';
import { startRefreshToken } from '../issuing/start-refresh-token.ts';
import type { GrantRefusal, LockedUserGrant, ReadUserGrant, TokenPlace, UserGrantPorts } from './user-grant.ts';

const CODE = /^[A-Za-z0-9_-]{43}$/;

interface PolledGrant {
  readonly kind: PendingAuthorizationKind;
  readonly grantType: string;
  readonly parameter: string;
  /** The error for a code without a matching request. */
  readonly invalid: OAuthErrorCode;
  readonly told: Readonly<Record<Exclude<PollVerdict, 'approved'>, OAuthErrorCode>>;
}

/** The device grant (RFC 8628 3.4, 3.5). */
const DEVICE: PolledGrant = {
  kind: 'DEVICE',
  grantType: DEVICE_CODE_GRANT,
  parameter: 'device_code',
  invalid: 'invalidDeviceCode',
  told: {
    pending: 'authorizationPending',
    slowDown: 'slowDown',
    expired: 'expiredDeviceCode',
    denied: 'accessDenied',
  },
};

/** The CIBA grant (CIBA Core 10.1, 11). */
const BACKCHANNEL: PolledGrant = {
  kind: 'BACKCHANNEL',
  grantType: CIBA_GRANT,
  parameter: 'auth_req_id',
  invalid: 'invalidGrant',
  told: {
    pending: 'backchannelPending',
    slowDown: 'backchannelSlowDown',
    expired: 'backchannelExpired',
    denied: 'accessDenied',
  },
};

const isOwn = (
  { kind }: PolledGrant,
  request: PendingAuthorization,
  { authenticated }: AuthenticatedRequest,
  place: TokenPlace,
): boolean =>
  request.kind === kind &&
  request.clientId === authenticated.client.clientId &&
  request.serverId === (place.server?.facts.id ?? '') &&
  // Deactivating the client, for example, voids earlier requests.
  request.issuedAt > authenticated.client.validAfter;

const poll = (
  { work }: UserGrantPorts,
  context: Context,
  sender: AuthenticatedRequest,
  hash: Buffer,
  { invalid, told }: PolledGrant,
): Promise<PendingAuthorization | OAuthErrorCode> => {
  const { now, orgId } = context;
  return work(context, async (tx): Promise<PendingAuthorization | OAuthErrorCode> => {
    const request = await lockPendingAuthorization(tx, orgId, hash);
    if (request === undefined) return invalid;
    const verdict = pollVerdict(request, now);
    if (verdict === 'approved') return request;
    for (const singleUse of singleUsesOf(sender)) {
      if (!(await consume(tx, orgId, sender.authenticated.client.clientId, singleUse))) return singleUse.refused;
    }
    const intervalSeconds = intervalAfter(verdict, request.intervalSeconds);
    if (request.status === 'PENDING') await notePoll(tx, orgId, hash, { intervalSeconds, polledAt: now });
    return told[verdict];
  });
};

interface Approval {
  readonly userId: string;
  readonly approvedAt: Date;
  readonly authentication: Authentication;
}

function approvalOf({ amr, approvedAt, authTime, details, sessionExternalId, userId }: PendingAuthorization): Approval {
  if (userId === null || approvedAt === null || authTime === null) throw new Error('nobody has approved the request');
  return {
    userId,
    approvedAt,
    authentication: { authTime, amr: amr ?? [], sessionExternalId, details: details ?? {} },
  };
}

/** A request yields tokens only once. */
const readPolledGrant =
  (pending: PolledGrant): ReadUserGrant =>
  async (ports, context, place, sender, { form }) => {
    const { now, orgId } = context;
    const { client } = sender.authenticated;
    const { grantType, invalid } = pending;
    const text = parameter(form, pending.parameter);
    if (text === undefined) return refusalWith('missingParameter', client, { parameter: pending.parameter });
    const hash = hashSecret(text);
    const found = CODE.test(text) ? await findPendingAuthorization(ports.db, orgId, hash) : undefined;
    if (found === undefined || !isOwn(pending, found, sender, place)) return refusalOf(invalid, client);
    const approved = await poll(ports, context, sender, hash, pending);
    if (typeof approved === 'string') return refusalOf(approved, client);
    const { approvedAt, authentication, userId } = approvalOf(approved);
    return {
      userId,
      requestedScopes: approved.scopes.join(' '),
      grantedScopes: approved.scopes,
      grantType,
      refusedAs: invalid,
      authentication,
      nonce: null,
      boundTo: approved.dpopJkt === null ? null : { jkt: approved.dpopJkt, otherKey: invalid },
      lock: async (tx): Promise<LockedUserGrant | GrantRefusal> => {
        const held = await lockPendingAuthorization(tx, orgId, hash);
        if (held === undefined || pollVerdict(held, now) !== 'approved') return { refused: invalid };
        return {
          heldSince: approvedAt,
          settle: async (ownTx, issued, record) => {
            await takePendingAuthorization(ownTx, orgId, hash);
            const given = { server: place.server, grantType, authentication };
            return startRefreshToken(ports.refreshTexts, ownTx, record, context, issued, given);
          },
        };
      },
    };
  };

/** Reads the grant `urn:ietf:params:oauth:grant-type:device_code` (RFC 8628 3.4). */
export const readDeviceGrant = readPolledGrant(DEVICE);

/** Reads the grant `urn:openid:params:grant-type:ciba` in poll mode (CIBA Core 10.1). */
export const readBackchannelGrant = readPolledGrant(BACKCHANNEL);
