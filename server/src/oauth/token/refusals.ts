import type { Clock } from '../../kernel/clock.ts';
import type { Context } from '../../kernel/context.ts';
import type { ClientCredentials } from '../../management/apps/index.ts';
import { createPrefixLimiter } from '../../platform/http/index.ts';
import type { Work } from '../../system-log/index.ts';
import { type CredentialRefusal, credentialRefusal } from '../client-authentication/authenticate-client.ts';
import type { OAuthErrorRefusal } from '../client-authentication/refusal.ts';
import { type RefusedGrant, refusalEvent } from './events.ts';

/**
 * The maximum number of refusal events per client and minute in one `Refusals`. Client ids are not secret, so knowing
 * one must not suffice to fill the log.
 */
const MAXIMUM_EVENTS_PER_MINUTE = 60;

export interface Refusals {
  /**
   * Returns a function that tells whether a refusal gets an event of its own. The function counts the refusal only
   * once, because a unit of work that runs again calls it again.
   */
  readonly isWritten: (context: Context, client: Pick<ClientCredentials, 'clientId'>) => () => boolean;
  /** Records or counts a refusal that happened outside of a transaction. */
  readonly note: (
    context: Context,
    refusal: OAuthErrorRefusal,
    asked: Pick<RefusedGrant, 'grantType' | 'requestedScopes' | 'server'>,
  ) => Promise<void>;
}

export function createRefusals(ports: {
  readonly work: Work;
  readonly clock: Clock;
  readonly refused: (refusal: CredentialRefusal) => void;
}): Refusals {
  const { clock, refused, work } = ports;
  const limiter = createPrefixLimiter({ clock });
  const isWritten: Refusals['isWritten'] = (context, { clientId }) => {
    let answer: boolean | undefined;
    return () => {
      if (answer !== undefined) return answer;
      answer = limiter.take(context.orgId, 'token refusals', clientId, MAXIMUM_EVENTS_PER_MINUTE).allowed;
      if (!answer) refused(credentialRefusal(context));
      return answer;
    };
  };
  return {
    isWritten,
    note: async (context, refusal, asked) => {
      const { client, refused: code } = refusal;
      if (client === null) return refused(credentialRefusal(context));
      if (!isWritten(context, client)()) return undefined;
      return work(context, async (_tx, record) =>
        record(refusalEvent(context, client, { ...asked, code, authenticatedBy: null })),
      );
    },
  };
}
