import type { Context } from '../../kernel/context.ts';
import { type AuthorizingClient, findAuthorizingClient } from '../../management/apps/index.ts';
import type { Db } from '../../platform/postgres/index.ts';
import { type AppPolicies, type AppPoliciesPorts, findAppPolicies } from '../app-sign-on/index.ts';
import type { ServerConfiguration, ServerConfigurations } from '../custom-servers/index.ts';
import { findInteraction, type Interaction } from '../interactions/index.ts';
import {
  findPendingAuthorization,
  type PendingAuthorization,
  type PendingAuthorizationKind,
} from '../pending-authorizations/index.ts';

/** The name of the interaction's parameter for the pending authorization. */
export const PENDING_PARAMETER = 'polled';
/** The name of the interaction's parameter for the user who has allowed the request. */
export const ALLOWED_BY_PARAMETER = 'allowed_by';

export interface UserInteraction {
  /** The secret id of the interaction. `flowValues` identify the browser in which it continues. */
  readonly requestId: string;
  readonly flowValues: readonly string[];
  readonly interaction: Interaction;
  readonly pending: PendingAuthorization;
  readonly client: AuthorizingClient;
  /** Null means the org's own server. */
  readonly server: ServerConfiguration | null;
  readonly appPolicies: AppPolicies;
}

export interface FindUserInteractionPorts extends AppPoliciesPorts {
  readonly db: Db;
  readonly servers: Pick<ServerConfigurations, 'find'>;
}

export const isWaiting = ({ expiresAt, status }: PendingAuthorization, now: Date): boolean =>
  status === 'PENDING' && expiresAt > now;

export const isFor = ({ askedUserId }: PendingAuthorization, userId: string): boolean =>
  askedUserId === null || askedUserId === userId;

export async function findUserInteraction(
  ports: FindUserInteractionPorts,
  context: Context,
  kind: PendingAuthorizationKind,
  requestId: string,
  flowValues: readonly string[],
): Promise<UserInteraction | undefined> {
  const { db, servers } = ports;
  const { now, orgId } = context;
  const interaction = await findInteraction(db, orgId, requestId, flowValues, now);
  if (interaction?.kind !== kind) return undefined;
  const { clientId, parameters, serverId } = interaction;
  const hash = Buffer.from(parameters[PENDING_PARAMETER] ?? '', 'base64url');
  const [pending, client, server, appPolicies] = await Promise.all([
    findPendingAuthorization(db, orgId, hash),
    findAuthorizingClient(db, orgId, clientId),
    serverId === '' ? null : servers.find(orgId, serverId),
    findAppPolicies(ports, context),
  ]);
  const isServerThere = serverId === '' || server !== null;
  if (pending === undefined || !isWaiting(pending, now) || client?.status !== 'ACTIVE' || !isServerThere)
    return undefined;
  return { requestId, flowValues, interaction, pending, client, server, appPolicies };
}
