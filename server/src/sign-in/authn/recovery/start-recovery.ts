import { setTimeout as delay } from 'node:timers/promises';
import { admits, decide } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { ApiError, apiError, invalid } from '../../../kernel/errors/errors.ts';
import {
  findUserForUpdate,
  findUserIdByLogin,
  issuePasswordResetToken,
  issueUnlockToken,
  lockUser,
  ownsPassword,
  type PasswordPolicy,
  type SelfService,
  type UserRow,
  userTarget,
} from '../../../management/users/index.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { unknownActor } from '../passwords/sign-in-events.ts';
import type { AuthnPorts } from '../ports.ts';
import { MAXIMUM_LOGIN_CHARACTERS } from '../rules.ts';
import type { RecoveryHandedOut, RecoveryMailed } from '../transactions/authn-answer.ts';
import { admitRecovery } from '../transactions/limits.ts';

export interface RecoveryRequest {
  readonly username: string;
  /**
   * The channel of the recovery token. It is ignored for a caller with an API token, who gets the recovery token in the
   * response.
   */
  readonly factorType: string | null;
  readonly relayState: string | null;
}

type RecoveryType = 'PASSWORD' | 'UNLOCK';

const KINDS = {
  PASSWORD: {
    eventType: 'user.account.reset_password',
    path: 'recoveryToken',
    permission: 'users.credentials.reset',
    refusal: 'E0000034',
  },
  UNLOCK: {
    eventType: 'user.account.unlock_token',
    path: 'unlockToken',
    permission: 'users.unlock',
    refusal: 'E0000032',
  },
} as const;

/**
 * The facts that are read before the transaction. A request for an email reads them even if the user is unknown, so
 * that its duration does not reveal whether the user exists.
 */
interface Allowed {
  readonly policy: PasswordPolicy;
  readonly selfService: SelfService;
}

async function allowedTo({ users }: AuthnPorts, context: Context, id: string): Promise<Allowed> {
  const [policy, selfService] = await Promise.all([
    users.passwordPolicyFor(context.orgId, { id }),
    users.selfServiceFor(context, { id }),
  ]);
  return { policy, selfService };
}

function isEligible(type: RecoveryType, user: UserRow, { selfService }: Allowed): boolean {
  const { mayResetPassword, mayUnlock, question } = selfService;
  const isAllowed = type === 'UNLOCK' ? mayUnlock : mayResetPassword;
  const isAskable = type === 'UNLOCK' || question !== 'required' || user.recoveryQuestion !== null;
  const isOfStatus = admits(KINDS[type].path, { user: { status: user.status } }) === null;
  return isAllowed && isAskable && ownsPassword(user) && isOfStatus;
}

const issue = (
  ports: AuthnPorts,
  tx: Tx,
  context: Context,
  type: RecoveryType,
  user: UserRow,
  { policy, sendMail }: { readonly policy: PasswordPolicy; readonly sendMail: boolean },
) =>
  type === 'UNLOCK'
    ? issueUnlockToken(ports.users, tx, context, user, { sendMail, policy, permission: KINDS.UNLOCK.permission })
    : issuePasswordResetToken(ports.users, tx, context, user, {
        sendMail,
        policy,
        permission: KINDS.PASSWORD.permission,
        path: 'signin/reset-password',
      });

/** The minimum response time, which hides the additional work for an existing user. */
const SHORTEST_MILLISECONDS = 60;

const failure = { result: 'FAILURE', reason: 'NOT_ELIGIBLE' } as const;

/** Returns false if the user is unknown or may not recover. */
async function mailToken(ports: AuthnPorts, context: Context, type: RecoveryType, username: string): Promise<boolean> {
  const userId = (await findUserIdByLogin(ports.users.db, context.orgId, username)) ?? '';
  const allowed = await allowedTo(ports, context, userId);
  return ports.users.work(context, async (tx, record) => {
    const user = await findUserForUpdate(tx, context.orgId, userId);
    if (user === undefined || !isEligible(type, user, allowed)) return false;
    await issue(ports, tx, context, type, user, { policy: allowed.policy, sendMail: true });
    record({ eventType: KINDS[type].eventType, target: [userTarget(user)] });
    return true;
  });
}

async function mailOrRefuse(ports: AuthnPorts, given: Context, type: RecoveryType, username: string): Promise<void> {
  const context = { ...given, actor: unknownActor(username) };
  const isMailed = await mailToken(ports, context, type, username).catch((error: unknown) => {
    // A 400 means that no email can reach the user. The response must not reveal that the user exists.
    if (error instanceof ApiError && error.status === 400) return false;
    throw error;
  });
  if (isMailed) return;
  const { eventType } = KINDS[type];
  await ports.users.work(context, async (_tx, record) => record({ eventType, outcome: failure }));
}

async function handOut(
  ports: AuthnPorts,
  context: Context,
  grant: Grant,
  type: RecoveryType,
  { relayState, username }: RecoveryRequest,
): Promise<RecoveryHandedOut> {
  const { eventType, refusal } = KINDS[type];
  const userId = await findUserIdByLogin(ports.users.db, context.orgId, username);
  if (userId === undefined) throw apiError('E0000095');
  const allowed = await allowedTo(ports, context, userId);
  return ports.users.work(context, async (tx, record) => {
    const user = await lockUser(ports.users, tx, context, grant, userId);
    if (!isEligible(type, user, allowed)) throw apiError(refusal);
    const { policy } = allowed;
    const { expiresAt, token } = await issue(ports, tx, context, type, user, { policy, sendMail: false });
    record({ eventType, target: [userTarget(user)] });
    return { status: 'RECOVERY_TOKEN', recoveryType: type, recoveryToken: token, expiresAt, user, relayState };
  });
}

/**
 * Starts the recovery of a password or of a locked account. Without an API token, the recovery token is sent by email,
 * and the caller does not learn whether the user exists. An app with an API token gets the recovery token itself.
 */
export async function startRecovery(
  ports: AuthnPorts,
  context: Context,
  type: RecoveryType,
  given: RecoveryRequest,
): Promise<RecoveryMailed | RecoveryHandedOut> {
  const request = { ...given, username: given.username.slice(0, MAXIMUM_LOGIN_CHARACTERS) };
  const { principal, roles } = context;
  if (principal.kind === 'apiToken') {
    const grant = decide({ userId: principal.userId, roles }, KINDS[type].permission);
    if (grant === null) throw apiError('E0000006');
    return handOut(ports, context, grant, type, request);
  }
  if (request.factorType !== 'EMAIL') throw invalid('factorType', 'must be EMAIL.');
  await admitRecovery(ports, context, request.username);
  await Promise.all([mailOrRefuse(ports, context, type, request.username), delay(SHORTEST_MILLISECONDS)]);
  return { status: 'RECOVERY_CHALLENGE', recoveryType: type, relayState: request.relayState };
}
