import type { Context } from '../../../kernel/context.ts';
import { type AuthorizingClient, findAuthorizingClient } from '../../../management/apps/index.ts';
import {
  type AuthorizationServerFacts,
  findAuthorizationServer,
  type ServerScope,
} from '../../../management/authorization-servers/index.ts';
import { type CookieHeaders, readBrowserSession, readFlowCookies } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { type AuthorizingSession, findSessionForAuthorization } from '../../../sign-in/index.ts';
import { findInteraction, type Interaction, type InteractionKind } from '../../interactions/index.ts';
import { findConsentDue } from '../find-consent-due.ts';

export interface Question {
  readonly interaction: Interaction;
  readonly session: AuthorizingSession;
  readonly client: AuthorizingClient;
  readonly server: AuthorizationServerFacts;
  readonly asked: readonly ServerScope[];
}

export const isAnsweredBy = ({ consent }: Interaction, userId: string): boolean => consent?.userId === userId;

export async function askedOf(
  db: Db,
  { orgId }: Pick<Context, 'orgId'>,
  interaction: Interaction,
  userId: string,
  { consentMethod }: Pick<AuthorizingClient, 'consentMethod'>,
): Promise<readonly ServerScope[]> {
  const { clientId, parameters, serverId } = interaction;
  const { ask } = await findConsentDue(db, orgId, {
    parties: { userId, clientId, serverId },
    consentMethod,
    scope: parameters['scope'],
    prompt: parameters['prompt'],
    isAnswered: isAnsweredBy(interaction, userId),
  });
  return ask;
}

/** The path at which each kind of request continues when there is no further question. */
const RESUMED_AT = {
  INTERACTION: '/oauth2/v1/authorize/resume',
  DEVICE: '/activate/confirm',
  BACKCHANNEL: '/account/requests/confirm',
} as const satisfies Record<InteractionKind, string>;

export const resumedAt = ({ kind }: Pick<Interaction, 'kind'>): string => RESUMED_AT[kind];

/**
 * `refused` means that this browser has no such request. `settledAt` is where a request without a question continues.
 */
export async function findQuestion(
  db: Db,
  context: Context,
  headers: CookieHeaders,
  requestId: string,
): Promise<Question | 'refused' | { readonly settledAt: string }> {
  const { now, orgId } = context;
  const [interaction, session] = await Promise.all([
    findInteraction(db, orgId, requestId, readFlowCookies(headers), now),
    findSessionForAuthorization(db, orgId, readBrowserSession(headers), now),
  ]);
  if (interaction === undefined) return 'refused';
  const settled = { settledAt: resumedAt(interaction) };
  if (session === undefined || interaction.serverId === '') return settled;
  if (isAnsweredBy(interaction, session.userId) && interaction.consent?.decision === 'DECLINED') return settled;
  const [client, server] = await Promise.all([
    findAuthorizingClient(db, orgId, interaction.clientId),
    findAuthorizationServer(db, orgId, interaction.serverId),
  ]);
  if (client?.status !== 'ACTIVE' || server?.status !== 'ACTIVE') return settled;
  const asked = await askedOf(db, context, interaction, session.userId, client);
  return asked.length === 0 ? settled : { interaction, session, client, server, asked };
}
