import { randomBytes } from 'node:crypto';
import { lockLiveClient } from '../../management/apps/index.ts';
import { hashSecret } from '../../platform/crypto/index.ts';
import type { PageSession } from '../../sign-in/index.ts';
import type { Work } from '../../system-log/index.ts';
import { insertInteraction } from '../interactions/index.ts';
import type { PendingAuthorization } from '../pending-authorizations/index.ts';
import { PENDING_PARAMETER } from './find-user-interaction.ts';
import { POLLING_FLOWS } from './polling-flows.ts';

export function beginUserInteraction(
  work: Work,
  { context, flow }: PageSession,
  pending: PendingAuthorization,
): Promise<string | null> {
  const { now, orgId } = context;
  const { clientId, expiresAt, issuedAt, kind, scopes, serverId } = pending;
  const requestId = randomBytes(32).toString('base64url');
  return work(context, async (tx): Promise<string | null> => {
    const client = await lockLiveClient(tx, orgId, clientId);
    if (client?.status !== 'ACTIVE' || issuedAt <= client.validAfter) return null;
    const parameters = { [PENDING_PARAMETER]: pending.hash.toString('base64url'), scope: scopes.join(' ') };
    const stored = { hash: hashSecret(requestId), clientId, serverId, parameters, createdAt: now, expiresAt };
    await insertInteraction(tx, orgId, stored, flow, kind);
    return `${POLLING_FLOWS[kind].confirm}?${new URLSearchParams({ request: requestId })}`;
  });
}
