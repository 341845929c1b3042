import type { Context } from '../../kernel/context.ts';
import { type OAuthErrorCode, oauthDescription } from '../../kernel/oauth-errors.ts';
import { hashSecret } from '../../platform/crypto/index.ts';
import { parameter } from '../client-authentication/credentials-rules.ts';
import { refusalOf } from '../client-authentication/refusal.ts';
import { useOnce } from '../client-authentication/single-use.ts';
import {
  findPolledRequest,
  intervalAfter,
  lockPolledRequest,
  notePoll,
  type PolledRequest,
  pollVerdict,
  takePolledRequest,
} from '../polled-requests/index.ts';
import type { Authentication } from '../user-tokens/index.ts';
import { DEVICE_CODE_GRANT } from './grant-type-rules.ts';
import { type Proof, usedUpBy } from './prove-client.ts';
import { startRefreshToken } from './start-refresh-token.ts';
import type { GrantRefusal, HeldGrant, ReadUserGrant, TokenPlace, UserGrantPorts } from './user-grant.ts';

const CODE = /^[A-Za-z0-9_-]{43}$/;

/** What a client is told as long as it gets nothing (RFC 8628 3.5). */
const TOLD = {
  pending: 'authorizationPending',
  slowDown: 'slowDown',
  expired: 'expiredDeviceCode',
  denied: 'accessDenied',
} as const satisfies Record<string, OAuthErrorCode>;

const isOwn = (request: PolledRequest, { proven }: Proof, place: TokenPlace): boolean =>
  request.clientId === proven.client.clientId &&
  request.serverId === (place.server?.facts.id ?? '') &&
  // Of before its client was deactivated, or its credentials were voided.
  request.issuedAt > proven.client.validAfter;

/** Notes the poll, and uses up what proved its client: the request once it is approved, else what is told of it. */
const poll = (
  { work }: UserGrantPorts,
  context: Context,
  proof: Proof,
  hash: Buffer,
): Promise<PolledRequest | OAuthErrorCode> => {
  const { now, orgId } = context;
  return work(context, async (tx): Promise<PolledRequest | OAuthErrorCode> => {
    const request = await lockPolledRequest(tx, orgId, hash);
    if (request === undefined) return 'invalidDeviceCode';
    const verdict = pollVerdict(request, now);
    if (verdict === 'approved') return request;
    for (const one of usedUpBy(proof)) {
      if (!(await useOnce(tx, orgId, proof.proven.client.clientId, one))) return one.refused;
    }
    const intervalSeconds = intervalAfter(verdict, request.intervalSeconds);
    if (request.status === 'PENDING') await notePoll(tx, orgId, hash, { intervalSeconds, polledAt: now });
    return TOLD[verdict];
  });
};

interface Approval {
  readonly userId: string;
  readonly approvedAt: Date;
  readonly authentication: Authentication;
}

/** Who has allowed it; the table has all of it with each that is approved. */
function approvalOf({ amr, approvedAt, authTime, details, sessionExternalId, userId }: PolledRequest): Approval {
  if (userId === null || approvedAt === null || authTime === null) throw new Error('nobody has approved the request');
  return {
    userId,
    approvedAt,
    authentication: { authTime, amr: amr ?? [], sessionExternalId, details: details ?? {} },
  };
}

/**
 * The grant `urn:ietf:params:oauth:grant-type:device_code` (RFC 8628 3.4): what a device polls with until its user has
 * answered in a browser. Once it is allowed the tokens are decided over anew, and given once.
 */
export const readDeviceGrant: ReadUserGrant = async (ports, context, place, proof, { form }) => {
  const { now, orgId } = context;
  const { client } = proof.proven;
  const text = parameter(form, 'device_code');
  if (text === undefined) {
    const description = oauthDescription('missingParameter', { parameter: 'device_code' });
    return refusalOf('missingParameter', client, { description });
  }
  const hash = hashSecret(text);
  const found = CODE.test(text) ? await findPolledRequest(ports.db, orgId, hash) : undefined;
  if (found === undefined || !isOwn(found, proof, place)) return refusalOf('invalidDeviceCode', client);
  const approved = await poll(ports, context, proof, hash);
  if (typeof approved === 'string') return refusalOf(approved, client);
  const { approvedAt, authentication, userId } = approvalOf(approved);
  const grantType = DEVICE_CODE_GRANT;
  return {
    userId,
    requestedScopes: approved.scopes.join(' '),
    grantedScopes: approved.scopes,
    grantType,
    admission: 'redeemDeviceCode',
    refusedAs: 'invalidDeviceCode',
    authentication,
    nonce: null,
    boundTo: approved.dpopJkt === null ? null : { jkt: approved.dpopJkt, otherKey: 'invalidDeviceCode' },
    hold: async (tx): Promise<HeldGrant | GrantRefusal> => {
      const held = await lockPolledRequest(tx, orgId, hash);
      if (held === undefined || pollVerdict(held, now) !== 'approved') return { refused: 'invalidDeviceCode' };
      return {
        heldSince: approvedAt,
        settle: async (ownTx, issued, record) => {
          await takePolledRequest(ownTx, orgId, hash);
          const given = { server: place.server, grantType, authentication };
          return startRefreshToken(ports.refreshTexts, ownTx, record, context, issued, given);
        },
      };
    },
  };
};
