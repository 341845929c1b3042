import type { Context } from '../../../kernel/context.ts';
import { findAuthorizingClient, lockLiveClient } from '../../../management/apps/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { type AuthorizingSession, lockSessionForAuthorization, lockUserOfSession } from '../../../sign-in/index.ts';
import type { Record, Work } from '../../../system-log/index.ts';
import { lockServer } from '../../custom-servers/index.ts';
import { lockInteraction, noteConsentDecision } from '../../interactions/index.ts';
import { answersOf } from '../consent-rules.ts';
import type { By } from '../events.ts';
import { grantConsents } from '../grants/grant-consents.ts';
import { askedOf, isAnsweredBy, type Question } from './find-question.ts';
import { askedText } from './page-rules.ts';

export interface ConsentAnswer {
  readonly requestId: string;
  readonly flowValues: readonly string[];
  readonly sessionId: string;
  readonly decision: 'allow' | 'deny';
  /** The scopes that the form showed, as `askedText` writes them. */
  readonly asked: string;
  /** The ids of the optional scopes that the user checked. */
  readonly checked: ReadonlySet<string>;
}

const byUser = ({ displayName, externalId, login, rootExternalId, userId }: AuthorizingSession): By => ({
  actor: { id: userId, type: 'User', alternateId: login, displayName },
  authentication: { externalSessionId: externalId, rootSessionId: rootExternalId },
});

/** Locks what a consent depends on, in a fixed order. */
async function lockParties(tx: Tx, { now, orgId }: Context, { interaction }: Question, answer: ConsentAnswer) {
  const { clientId, parameters, serverId } = interaction;
  const names = (parameters['scope'] ?? '').split(' ').filter((name) => name !== '');
  await lockUserOfSession(tx, orgId, answer.sessionId);
  const session = await lockSessionForAuthorization(tx, orgId, answer.sessionId, now);
  await lockLiveClient(tx, orgId, clientId);
  const client = await findAuthorizingClient(tx, orgId, clientId);
  const locked = await lockServer(tx, orgId, serverId, names);
  const found = await lockInteraction(tx, orgId, answer.requestId, answer.flowValues, now);
  if (session === undefined || client?.status !== 'ACTIVE' || locked?.server.status !== 'ACTIVE') return null;
  return found === undefined ? null : { session, client, found };
}

async function settle(
  tx: Tx,
  record: Record,
  context: Context,
  question: Question,
  answer: ConsentAnswer,
): Promise<'settled' | 'changed'> {
  const { orgId } = context;
  const locked = await lockParties(tx, context, question, answer);
  // The endpoint at which the request continues reports the problem.
  if (locked === null) return 'settled';
  const { client, found, session } = locked;
  const { userId } = session;
  const asked = await askedOf(tx, context, found, userId, client);
  // A second answer counts only if the first one allowed the request and further scopes have become due.
  if (isAnsweredBy(found, userId) && (found.consent?.decision === 'DECLINED' || asked.length === 0)) return 'settled';
  if (answer.decision === 'deny') {
    await noteConsentDecision(tx, orgId, found.hash, { userId, decision: 'DECLINED', scopes: [] });
    return 'settled';
  }
  if (askedText(asked) !== answer.asked) return 'changed';
  const answers = answersOf(asked, answer.checked);
  const { server } = question;
  const names = {
    userId,
    login: session.login,
    firstName: session.displayName,
    lastName: null,
    clientId: client.clientId,
    clientLabel: client.label,
    serverId: server.id,
    serverName: server.name,
  };
  await grantConsents(tx, record, context, names, byUser(session), asked, answers);
  const scopes = asked.filter(({ id }) => answers.some((one) => one.scopeId === id && one.isGranted));
  await noteConsentDecision(tx, orgId, found.hash, {
    userId,
    decision: 'GRANTED',
    scopes: scopes.map(({ name }) => name),
  });
  return 'settled';
}

/** `changed` means that the scopes now due differ from those on the form, so nothing was stored. */
export const answerQuestion = (
  work: Work,
  context: Context,
  question: Question,
  answer: ConsentAnswer,
): Promise<'settled' | 'changed'> => work(context, (tx, record) => settle(tx, record, context, question, answer));
