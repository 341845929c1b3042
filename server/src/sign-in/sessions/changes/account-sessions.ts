import type { Context } from '../../../kernel/context.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import type { Sessions } from '../sessions.ts';
import { findIdHashOfUser, findSessionsOfUser, type OwnSession, removeSessionOfUser } from '../store.ts';
import { sessionOf, userTargetOf } from '../wire.ts';

/** The maximum number of sessions that the account page lists and can therefore end at once. */
const MAXIMUM_SHOWN = 100;

export const listOwnSessions = (db: Db, context: Context, userId: string): Promise<readonly OwnSession[]> =>
  findSessionsOfUser(db, context.orgId, userId, { now: context.now, limit: MAXIMUM_SHOWN });

/** Ignores unknown ids. Returns the number of ended sessions. */
export const endOwnSessions = (
  ports: Pick<Sessions, 'work' | 'ending'>,
  context: Context,
  userId: string,
  externalIds: readonly string[],
): Promise<number> =>
  ports.work(context, async (tx, record) => {
    let ended = 0;
    for (const externalId of externalIds.toSorted()) {
      const idHash = await findIdHashOfUser(tx, context.orgId, userId, externalId);
      if (idHash === undefined) continue;
      await ports.ending(tx, context, { idHash });
      const session = await removeSessionOfUser(tx, context.orgId, userId, externalId);
      if (session === undefined) continue;
      record({ eventType: 'user.session.end', target: [userTargetOf(session)], authentication: sessionOf(session) });
      ended += 1;
    }
    return ended;
  });
