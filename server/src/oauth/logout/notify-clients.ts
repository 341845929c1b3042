import type { Context } from '../../kernel/context.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import type { Tx } from '../../platform/postgres/index.ts';
import type { EndingSessions } from '../../sign-in/index.ts';
import type { NewEvent } from '../../system-log/index.ts';
import { type SessionClient, takeClientsOfSession, takeClientsOfUser } from './store.ts';

export const BACKCHANNEL_LOGOUT = 'oauth.backchannelLogout';

async function planNotices(tx: Tx, context: Context, clients: readonly SessionClient[]): Promise<void> {
  for (const client of clients) {
    const payload = { ...client, baseUrl: client.baseUrl ?? context.baseUrl };
    await enqueue(tx, context.orgId, { kind: BACKCHANNEL_LOGOUT, payload, runAt: context.now });
  }
}

/** Plans notices to the apps of sessions that the same transaction will delete (OIDC Back-Channel Logout 1.0). */
export async function notifyClientsOfLogout(tx: Tx, context: Context, which: EndingSessions): Promise<void> {
  const { orgId } = context;
  const clients =
    'idHash' in which
      ? await takeClientsOfSession(tx, orgId, which.idHash)
      : await takeClientsOfUser(tx, orgId, which.userId, 'all');
  await planNotices(tx, context, clients);
}

export async function notifyClientsOfVoidSessions(tx: Tx, context: Context, event: NewEvent): Promise<void> {
  const user = event.target?.find(({ type }) => type === 'User');
  if (user === undefined) return;
  await planNotices(tx, context, await takeClientsOfUser(tx, context.orgId, user.id, 'void'));
}
