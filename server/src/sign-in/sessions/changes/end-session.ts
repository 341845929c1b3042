import { admits } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { hashSecret } from '../../../platform/crypto/index.ts';
import { isSessionId } from '../../../platform/http/index.ts';
import type { Sessions } from '../sessions.ts';
import { removeSession } from '../store.ts';
import { noSuchSession, sessionOf, userTargetOf } from '../wire.ts';

export async function endSession(
  ports: Pick<Sessions, 'work' | 'ending'>,
  context: Context,
  id: string,
): Promise<void> {
  if (!isSessionId(id)) throw noSuchSession(id);
  const idHash = hashSecret(id);
  await ports.work(context, async (tx, record) => {
    await ports.ending(tx, context, { idHash });
    const session = await removeSession(tx, context.orgId, idHash);
    if (session === undefined || !session.isCurrent || session.expiresAt <= context.now) throw noSuchSession(id);
    if (admits('useSession', { user: { status: session.userStatus } }) !== null) throw noSuchSession(id);
    record({ eventType: 'user.session.end', target: [userTargetOf(session)], authentication: sessionOf(session) });
  });
}
