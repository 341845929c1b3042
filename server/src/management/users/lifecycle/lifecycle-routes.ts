import { grantOf, type Permission } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import { type AnyRoute, flag, type Grant, ok, optionalFlag, route, text } from '../../../platform/http/index.ts';
import {
  ActivationSchema,
  EmptyObject,
  ResetPasswordSchema,
  TempPasswordSchema,
  UserIdParams,
  UserOrTempPasswordSchema,
} from '../contract.ts';
import { expirePassword, expirePasswordWithTempPassword } from '../passwords/expire-password.ts';
import { moveToFederation, resetPassword } from '../passwords/reset-password.ts';
import { answerUser, type UserRoutesPorts } from '../route-ports.ts';
import { activateUser } from './activate-user.ts';
import { changeUserStatus } from './change-status.ts';

const common = {
  tag: 'UserLifecycle',
  access: 'authenticated',
  cors: true,
  method: 'POST',
  scopes: ['users.manage'],
  params: UserIdParams,
  bucket: 'user',
  appliesGrant: true,
} as const;

interface StatusChange {
  readonly operationId: string;
  readonly action: 'suspend' | 'unsuspend' | 'unlock';
  readonly summary: string;
  readonly permission: Permission;
  readonly refusal: 'E0000001' | 'E0000032';
}

// biome-ignore format: the columns are the documentation
const STATUS_CHANGES: readonly StatusChange[] = [
  { operationId: 'suspendUser',    action: 'suspend',    summary: 'Suspend a user',     permission: 'users.lifecycle.suspend',    refusal: 'E0000001' },
  { operationId: 'unsuspendUser',  action: 'unsuspend',  summary: 'Unsuspend a user',   permission: 'users.lifecycle.unsuspend',  refusal: 'E0000001' },
  { operationId: 'unlockUser',     action: 'unlock',     summary: 'Unlock a user',      permission: 'users.unlock',               refusal: 'E0000032' },
];

const deactivateRoute = (ports: UserRoutesPorts): AnyRoute =>
  route({
    ...common,
    operationId: 'deactivateUser',
    url: '/api/v1/users/:id/lifecycle/deactivate',
    summary: 'Deactivate a user',
    permission: 'users.lifecycle.deactivate',
    query: { sendEmail: flag('Sends a confirmation by email to the caller.', false) },
    response: { status: 200, schema: EmptyObject },
    errors: ['E0000001', 'E0000007', 'E0000037', 'E0000038'],
    conditional: true,
    handler: async ({ context, grant, params, query }) => {
      await changeUserStatus(ports.users, context, grant, params.id, 'deactivate', query);
      return ok({});
    },
  });

const statusRoute = (ports: UserRoutesPorts, change: StatusChange): AnyRoute =>
  route({
    ...common,
    operationId: change.operationId,
    url: `/api/v1/users/:id/lifecycle/${change.action}`,
    summary: change.summary,
    permission: change.permission,
    response: { status: 200, schema: EmptyObject },
    errors: ['E0000001', 'E0000007', change.refusal],
    conditional: true,
    handler: async ({ context, grant, params }) => {
      await changeUserStatus(ports.users, context, grant, params.id, change.action);
      return ok({});
    },
  });

const activationRoute = (ports: UserRoutesPorts, action: 'activate' | 'reactivate', sendEmail: boolean): AnyRoute =>
  route({
    ...common,
    operationId: `${action}User`,
    url: `/api/v1/users/:id/lifecycle/${action}`,
    summary: action === 'activate' ? 'Activate a user' : 'Renew the activation of a user',
    permission: 'users.lifecycle.activate',
    query: {
      sendEmail: flag(
        'Sends the activation link to the user by email. Otherwise, the response contains it.',
        sendEmail,
      ),
    },
    response: { status: 200, schema: ActivationSchema },
    errors: ['E0000001', 'E0000007', action === 'activate' ? 'E0000016' : 'E0000038', 'E0000037'],
    conditional: true,
    handler: async ({ context, grant, params, query }) =>
      ok(await activateUser(ports.users, context, grant, params.id, action, query)),
  });

const resetPasswordRoute = (ports: UserRoutesPorts): AnyRoute =>
  route({
    ...common,
    operationId: 'resetPassword',
    url: '/api/v1/users/:id/lifecycle/reset_password',
    summary: 'Reset the password of a user',
    permission: 'users.credentials.reset',
    query: {
      sendEmail: flag('Sends the link to the user by email. Otherwise, the response contains it.', true),
      revokeSessions: flag('Has no effect: a reset always ends the sessions of the user.', false),
      provider: text('`FEDERATION` makes another provider authenticate the user, and removes their password.', 32),
    },
    response: { status: 200, schema: ResetPasswordSchema },
    errors: ['E0000001', 'E0000007', 'E0000037', 'E0000038'],
    conditional: true,
    handler: async ({ context, grant, params, query }) =>
      ok(
        query.provider === undefined
          ? await resetPassword(ports.users, context, grant, params.id, query)
          : await moveToFederation(ports.users, context, grant, params.id, query.provider),
      ),
  });

function resetGrantOf(context: Context): Grant {
  const grant = grantOf(context.roles, 'users.credentials.reset');
  if (grant === null) throw apiError('E0000006');
  return grant;
}

const expirePasswordRoute = (ports: UserRoutesPorts): AnyRoute =>
  route({
    ...common,
    operationId: 'expirePassword',
    url: '/api/v1/users/:id/lifecycle/expire_password',
    summary: 'Expire the password of a user',
    permission: 'users.credentials.expire',
    query: {
      tempPassword: flag(
        'Sets a temporary password, as `expire_password_with_temp_password` does. The caller’s roles must then also ' +
          'grant `users.credentials.reset`.',
        false,
      ),
      revokeSessions: optionalFlag(
        'With `tempPassword`, the sessions of the user end unless this is `false`. Otherwise, it has no effect.',
      ),
    },
    response: { status: 200, schema: UserOrTempPasswordSchema },
    errors: ['E0000001', 'E0000007', 'E0000037', 'E0000038'],
    conditional: true,
    handler: async ({ context, grant, params, query }) =>
      query.tempPassword
        ? ok(await expirePasswordWithTempPassword(ports.users, context, resetGrantOf(context), params.id, query))
        : answerUser(ports, context, await expirePassword(ports.users, context, grant, params.id)),
  });

const tempPasswordRoute = (ports: UserRoutesPorts): AnyRoute =>
  route({
    ...common,
    operationId: 'expirePasswordWithTempPassword',
    url: '/api/v1/users/:id/lifecycle/expire_password_with_temp_password',
    summary: 'Expire the password of a user and set a temporary one',
    permission: 'users.credentials.reset',
    query: { revokeSessions: optionalFlag('The sessions of the user end unless this is `false`.') },
    response: { status: 200, schema: TempPasswordSchema },
    errors: ['E0000001', 'E0000007', 'E0000037', 'E0000038'],
    conditional: true,
    handler: async ({ context, grant, params, query }) =>
      ok(await expirePasswordWithTempPassword(ports.users, context, grant, params.id, query)),
  });

export const lifecycleRoutes = (ports: UserRoutesPorts): AnyRoute[] => [
  activationRoute(ports, 'activate', true),
  activationRoute(ports, 'reactivate', false),
  deactivateRoute(ports),
  ...STATUS_CHANGES.map((change) => statusRoute(ports, change)),
  resetPasswordRoute(ports),
  expirePasswordRoute(ports),
  tempPasswordRoute(ports),
];
