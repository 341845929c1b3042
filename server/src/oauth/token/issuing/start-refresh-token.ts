import type { Context } from '../../../kernel/context.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Record } from '../../../system-log/index.ts';
import {
  expiriesOf,
  insertRefreshToken,
  type Origin,
  type RefreshToken,
  type RefreshTokenTexts,
} from '../../refresh-tokens/index.ts';
import type { Authentication } from '../../user-tokens/index.ts';
import type { IssuedFor, IssuedRefreshToken } from '../grants/user-grant.ts';
import { oldestEndedEvent, type Server } from './user-events.ts';

const isWanted = ({ decision, authenticated }: IssuedFor): boolean =>
  decision.scopes.includes('offline_access') &&
  authenticated.client.grantTypes.includes('refresh_token') &&
  authenticated.client.refreshToken !== null;

/**
 * Starts a family of refresh tokens, and records the end of older families beyond the maximum. Only a public client's
 * refresh tokens are bound to its DPoP key (RFC 9449 5).
 */
export async function startRefreshToken(
  texts: RefreshTokenTexts,
  tx: Tx,
  record: Record,
  { now, orgId }: Context,
  issued: IssuedFor,
  given: {
    readonly server: Server;
    readonly grantType: string;
    readonly authentication: Authentication;
    readonly origin?: Origin;
  },
): Promise<IssuedRefreshToken | null> {
  if (!isWanted(issued)) return null;
  const { decision, key, authenticated } = issued;
  const { authentication, grantType, server } = given;
  const id = newId('refreshToken', orgSuffixOf(orgId));
  const generation = 1;
  const { expiresAt, idleExpiresAt } = expiriesOf(decision.refresh, now, now);
  const userId = decision.user.id;
  const token: RefreshToken = {
    id,
    serverId: server?.facts.id ?? '',
    clientId: authenticated.client.clientId,
    userId,
    sessionExternalId: authentication.sessionExternalId,
    scopes: decision.scopes,
    grantType,
    generation,
    rotatedAt: null,
    dpopJkt: authenticated.method === 'none' ? (key?.jkt ?? null) : null,
    authTime: authentication.authTime,
    amr: authentication.amr,
    details: authentication.details,
    createdAt: now,
    lastUpdatedAt: now,
    idleExpiresAt,
    expiresAt,
  };
  const ended = await insertRefreshToken(tx, orgId, token, issued.hasAllFamilies, given.origin ?? null);
  if (ended.length > 0) record(oldestEndedEvent(authenticated.client, server, { userId, ids: ended }));
  const text = texts.textOf(orgId, { id, generation });
  return { id, text, isNew: true, expiresAt: idleExpiresAt };
}
