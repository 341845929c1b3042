import { type AnyRoute, flag, ok, route } from '../../../platform/http/index.ts';
import {
  ChangePasswordBody,
  ChangeRecoveryQuestionBody,
  CredentialsSchema,
  RecoverPasswordBody,
  ResetPasswordSchema,
  UserIdParams,
} from '../contract.ts';
import { changePassword } from '../passwords/change-password.ts';
import { forgotPassword } from '../passwords/forgot-password.ts';
import { changeRecoveryQuestion } from '../recovery/change-recovery-question.ts';
import { recoverPassword } from '../recovery/recover-password.ts';
import type { UserRoutesPorts } from '../route-ports.ts';
import { wireCredentials } from '../wire.ts';

const common = {
  tag: 'UserCred',
  access: 'authenticated',
  cors: true,
  method: 'POST',
  scopes: ['users.manage'],
  params: UserIdParams,
  bucket: 'user',
  appliesGrant: true,
} as const;

export const credentialRoutes = (ports: UserRoutesPorts): AnyRoute[] => [
  route({
    ...common,
    operationId: 'changePassword',
    url: '/api/v1/users/:id/credentials/change_password',
    summary: 'Change the password of a user',
    permission: 'users.credentials.manage',
    query: { strict: flag('Also enforces the minimum age of the password policy.', false) },
    body: ChangePasswordBody,
    response: { status: 200, schema: CredentialsSchema },
    errors: ['E0000001', 'E0000003', 'E0000007', 'E0000014', 'E0000035', 'E0000037', 'E0000195'],
    conditional: true,
    handler: async ({ context, grant, params, query, body }) => {
      const change = {
        oldPassword: body.oldPassword.value,
        newPassword: body.newPassword.value,
        strict: query.strict,
        revokeSessions: body.revokeSessions,
      };
      const user = await changePassword(ports.users, context, grant, params.id, change);
      return ok(wireCredentials(user, context));
    },
  }),
  route({
    ...common,
    operationId: 'changeRecoveryQuestion',
    url: '/api/v1/users/:id/credentials/change_recovery_question',
    summary: 'Change the recovery question of a user',
    permission: 'users.credentials.manage',
    body: ChangeRecoveryQuestionBody,
    response: { status: 200, schema: CredentialsSchema },
    errors: ['E0000001', 'E0000003', 'E0000007', 'E0000014', 'E0000036'],
    conditional: true,
    handler: async ({ context, grant, params, body }) => {
      const { question, answer } = body.recovery_question;
      const change = { password: body.password.value, question, answer };
      const user = await changeRecoveryQuestion(ports.users, context, grant, params.id, change);
      return ok(wireCredentials(user, context));
    },
  }),
  route({
    ...common,
    operationId: 'forgotPassword',
    url: '/api/v1/users/:id/credentials/forgot_password',
    summary: 'Start the recovery of a password',
    permission: 'users.credentials.reset',
    query: { sendEmail: flag('Sends the link to the user by email. Otherwise, the response contains it.', true) },
    response: { status: 200, schema: ResetPasswordSchema },
    errors: ['E0000001', 'E0000007', 'E0000034', 'E0000037'],
    handler: async ({ context, grant, params, query }) =>
      ok(await forgotPassword(ports.users, context, grant, params.id, query)),
  }),
  route({
    ...common,
    operationId: 'forgotPasswordSetNewPassword',
    url: '/api/v1/users/:id/credentials/forgot_password_recovery_question',
    summary: 'Set a new password with the recovery question',
    permission: 'users.credentials.manage',
    query: { sendEmail: flag('Has no effect: the service sends no email about it.', true) },
    body: RecoverPasswordBody,
    response: { status: 200, schema: CredentialsSchema },
    errors: ['E0000001', 'E0000003', 'E0000007', 'E0000034', 'E0000037', 'E0000087', 'E0000195'],
    conditional: true,
    handler: async ({ context, grant, params, body }) => {
      const recovery = { answer: body.recovery_question.answer, newPassword: body.password.value };
      return ok(wireCredentials(await recoverPassword(ports.users, context, grant, params.id, recovery), context));
    },
  }),
];
