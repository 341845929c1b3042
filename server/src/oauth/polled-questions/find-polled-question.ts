import type { Context } from '../../kernel/context.ts';
import { type AuthorizingClient, findAuthorizingClient } from '../../management/apps/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { type AppPolicies, type AppPoliciesPorts, findAppPolicies } from '../app-sign-on/index.ts';
import type { ServerConfiguration, ServerConfigurations } from '../custom-servers/index.ts';
import { findInteraction, type Interaction } from '../interactions/index.ts';
import { findPolledRequest, type PolledKind, type PolledRequest } from '../polled-requests/index.ts';

/** Names of what a browser's interaction says of it: the request that is polled for, and who has allowed it. */
export const POLLED_PARAMETER = 'polled';
export const ALLOWED_BY_PARAMETER = 'allowed_by';

/** The question that a user is asked for a polling client. */
export interface PolledQuestion {
  /** The secret id of the interaction, and the browser that it goes on in. */
  readonly requestId: string;
  readonly flowValues: readonly string[];
  readonly interaction: Interaction;
  readonly polled: PolledRequest;
  readonly client: AuthorizingClient;
  /** Null: the org's own. */
  readonly server: ServerConfiguration | null;
  /** The sign-on policies of apps and the zones of the user's address. */
  readonly appPolicies: AppPolicies;
}

export interface FindPolledQuestionPorts extends AppPoliciesPorts {
  readonly db: Db;
  readonly servers: Pick<ServerConfigurations, 'find'>;
}

/** Whether a request still waits for somebody. */
export const isWaiting = ({ expiresAt, status }: PolledRequest, now: Date): boolean =>
  status === 'PENDING' && expiresAt > now;

/** Whether somebody may answer it: whoever has its code, unless its client named a user. */
export const isFor = ({ askedUserId }: PolledRequest, userId: string): boolean =>
  askedUserId === null || askedUserId === userId;

/** The question of an interaction. Undefined: there is none in this browser, or nobody waits for an answer. */
export async function findPolledQuestion(
  ports: FindPolledQuestionPorts,
  context: Context,
  kind: PolledKind,
  requestId: string,
  flowValues: readonly string[],
): Promise<PolledQuestion | undefined> {
  const { db, servers } = ports;
  const { now, orgId } = context;
  const interaction = await findInteraction(db, orgId, requestId, flowValues, now);
  if (interaction?.kind !== kind) return undefined;
  const { clientId, parameters, serverId } = interaction;
  const hash = Buffer.from(parameters[POLLED_PARAMETER] ?? '', 'base64url');
  const [polled, client, server, appPolicies] = await Promise.all([
    findPolledRequest(db, orgId, hash),
    findAuthorizingClient(db, orgId, clientId),
    serverId === '' ? null : servers.find(orgId, serverId),
    findAppPolicies(ports, context),
  ]);
  const isServerThere = serverId === '' || server !== null;
  if (polled === undefined || !isWaiting(polled, now) || client?.status !== 'ACTIVE' || !isServerThere)
    return undefined;
  return { requestId, flowValues, interaction, polled, client, server, appPolicies };
}
