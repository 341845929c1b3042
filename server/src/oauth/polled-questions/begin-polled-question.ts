import { randomBytes } from 'node:crypto';
import { lockLiveClient } from '../../management/apps/index.ts';
import { hashSecret } from '../../platform/crypto/index.ts';
import type { Visit } from '../../sign-in/index.ts';
import type { Work } from '../../system-log/index.ts';
import { insertInteraction } from '../interactions/index.ts';
import type { PolledRequest } from '../polled-requests/index.ts';
import { POLLED_PARAMETER } from './find-polled-question.ts';
import { QUESTION_KINDS } from './question-kinds.ts';

/** Begins to ask, in this browser; where that leads. Null: the client, or what it asked for, has ended since. */
export function beginPolledQuestion(
  work: Work,
  { context, flow }: Visit,
  polled: PolledRequest,
): Promise<string | null> {
  const { now, orgId } = context;
  const { clientId, expiresAt, issuedAt, kind, scopes, serverId } = polled;
  const requestId = randomBytes(32).toString('base64url');
  return work(context, async (tx): Promise<string | null> => {
    const client = await lockLiveClient(tx, orgId, clientId);
    if (client?.status !== 'ACTIVE' || issuedAt <= client.validAfter) return null;
    const parameters = { [POLLED_PARAMETER]: polled.hash.toString('base64url'), scope: scopes.join(' ') };
    const stored = { hash: hashSecret(requestId), clientId, serverId, parameters, createdAt: now, expiresAt };
    await insertInteraction(tx, orgId, stored, flow, kind);
    return `${QUESTION_KINDS[kind].confirm}?${new URLSearchParams({ request: requestId })}`;
  });
}
