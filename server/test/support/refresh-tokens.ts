import { newId, orgSuffixOf, randomAlphanumeric } from '../../src/kernel/words/ids.ts';
import type { TestOrg, TestService } from './service.ts';

export interface NewTokenRow {
  readonly userId: string;
  readonly clientId: string;
  readonly serverId?: string;
  readonly scopes?: readonly string[];
  readonly idleMinutes?: number;
}

/** Stores a refresh token, as the redemption of an authorization code would. */
export async function seedRefreshToken(service: TestService, org: TestOrg, token: NewTokenRow): Promise<string> {
  const { clientId, idleMinutes = 60, scopes = ['openid', 'offline_access'], serverId = '', userId } = token;
  const now = new Date(Math.floor(service.clock.now().getTime() / 1000) * 1000);
  const id = `oar${randomAlphanumeric(14)}${orgSuffixOf(org.id)}`;
  await service.database.pool.query(
    `insert into refresh_tokens (org_id, id, server_id, client_id, user_id, scopes, grant_type, auth_time, amr, details,
       created_at, last_updated_at, idle_expires_at)
     values ($1, $2, $3, $4, $5, $6, 'authorization_code', $7, '["pwd"]', '{}', $7, $7, $8)`,
    [
      org.id,
      id,
      serverId,
      clientId,
      userId,
      JSON.stringify(scopes),
      now,
      new Date(now.getTime() + idleMinutes * 60_000),
    ],
  );
  return id;
}

/** Stores a user's consent to a scope, as the consent page would. */
export async function seedConsent(
  service: TestService,
  org: TestOrg,
  consent: { readonly userId: string; readonly clientId: string; readonly serverId: string; readonly scopeId: string },
): Promise<string> {
  const id = newId('grant', orgSuffixOf(org.id));
  const { clientId, scopeId, serverId, userId } = consent;
  await service.database.pool.query(
    `insert into user_consents (org_id, id, user_id, client_id, server_id, scope_id, decision, source, created_by,
       created_at, last_updated_at)
     values ($1, $2, $3, $4, $5, $6, 'GRANTED', 'END_USER', $3, date_trunc('second', now()),
       date_trunc('second', now()))`,
    [org.id, id, userId, clientId, serverId, scopeId],
  );
  return id;
}

export async function storedTokens(service: TestService, org: TestOrg): Promise<readonly string[]> {
  const { rows } = await service.database.pool.query<{ id: string }>(
    'select id from refresh_tokens where org_id = $1',
    [org.id],
  );
  return rows.map(({ id }) => id);
}
