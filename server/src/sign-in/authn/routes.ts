import type { Context } from '../../kernel/context.ts';
import { required } from '../../kernel/errors/field-errors.ts';
import { type AnyRoute, ok, route } from '../../platform/http/index.ts';
import {
  AnswerBody,
  AuthenticateBody,
  type AuthenticateInput,
  CancelledSchema,
  ChangePasswordBody,
  RecoveryTokenBody,
  ResetPasswordBody,
  StartRecoveryBody,
  StateTokenBody,
} from './contract.ts';
import { factorStepRoutes } from './factors/routes.ts';
import { AUTHN_STEPS } from './lifecycle.ts';
import { changeExpiredPassword } from './passwords/change-expired-password.ts';
import { signInWithPassword } from './passwords/sign-in-with-password.ts';
import { skipWarning } from './passwords/skip-warning.ts';
import type { AuthnPorts } from './ports.ts';
import { answerRecoveryQuestion } from './recovery/answer-recovery-question.ts';
import { redeemToken } from './recovery/redeem-token.ts';
import { resetPassword } from './recovery/reset-password.ts';
import { startRecovery } from './recovery/start-recovery.ts';
import { AUTHN, AUTHN_ROUTE, answered } from './route-parts.ts';
import type { AuthnAnswer } from './transactions/authn-answer.ts';
import { cancelTransaction, showTransaction } from './transactions/show-transaction.ts';

function authenticate(ports: AuthnPorts, context: Context, body: AuthenticateInput): Promise<AuthnAnswer> {
  const { password, stateToken, token, username } = body;
  const relayState = body.relayState ?? null;
  if (stateToken !== undefined) return showTransaction(ports, context, stateToken, { slide: true });
  if (token !== undefined) return redeemToken(ports, context, ['ACTIVATION'], { token, relayState });
  if (username === undefined) throw required('username');
  if (password === undefined) throw required('password');
  const warnBeforePasswordExpired = body.options?.warnBeforePasswordExpired ?? false;
  return signInWithPassword(ports, context, { username, password, warnBeforePasswordExpired, relayState });
}

const authenticateRoute = (ports: AuthnPorts): AnyRoute =>
  route({
    ...AUTHN_ROUTE,
    operationId: 'authenticate',
    url: AUTHN,
    summary: 'Sign in, or retrieve the state of a sign-in',
    body: AuthenticateBody,
    errors: ['E0000001', 'E0000003', 'E0000004', 'E0000011', 'E0000047'],
    handler: async ({ context, body }) => answered(await authenticate(ports, context, body), context),
  });

const passwordRoutes = (ports: AuthnPorts): AnyRoute[] => [
  route({
    ...AUTHN_ROUTE,
    operationId: 'authnChangePassword',
    url: AUTHN + AUTHN_STEPS.changePassword.path,
    summary: 'Change a password that has expired or will expire soon',
    body: ChangePasswordBody,
    errors: [
      'E0000001',
      'E0000003',
      'E0000004',
      'E0000011',
      'E0000014',
      'E0000035',
      'E0000047',
      'E0000079',
      'E0000080',
    ],
    handler: async ({ context, body }) => answered(await changeExpiredPassword(ports, context, body), context),
  }),
  route({
    ...AUTHN_ROUTE,
    operationId: 'authnResetPassword',
    url: AUTHN + AUTHN_STEPS.resetPassword.path,
    summary: 'Set a password at the end of an activation or a recovery',
    body: ResetPasswordBody,
    errors: ['E0000001', 'E0000003', 'E0000004', 'E0000011', 'E0000079', 'E0000080'],
    handler: async ({ context, body }) => answered(await resetPassword(ports, context, body), context),
  }),
  route({
    ...AUTHN_ROUTE,
    operationId: 'authnSkip',
    url: AUTHN + AUTHN_STEPS.skip.path,
    summary: 'Sign in without changing a password that will expire soon',
    body: StateTokenBody,
    errors: ['E0000001', 'E0000003', 'E0000004', 'E0000011', 'E0000079'],
    handler: async ({ context, body }) => answered(await skipWarning(ports, context, body.stateToken), context),
  }),
];

const recoveryRoutes = (ports: AuthnPorts): AnyRoute[] => [
  ...(['PASSWORD', 'UNLOCK'] as const).map((type) =>
    route({
      ...AUTHN_ROUTE,
      operationId: type === 'UNLOCK' ? 'authnUnlockAccount' : 'authnForgotPassword',
      url: `${AUTHN}/recovery/${type.toLowerCase()}`,
      summary: type === 'UNLOCK' ? 'Request an unlock email' : 'Request a recovery email',
      body: StartRecoveryBody,
      errors: ['E0000001', 'E0000003', 'E0000006', 'E0000032', 'E0000034', 'E0000047', 'E0000095'],
      handler: async ({ context, body }) => {
        const { username } = body;
        const request = { username, factorType: body.factorType ?? null, relayState: body.relayState ?? null };
        return answered(await startRecovery(ports, context, type, request), context);
      },
    }),
  ),
  route({
    ...AUTHN_ROUTE,
    operationId: 'authnVerifyRecoveryToken',
    url: `${AUTHN}/recovery/token`,
    summary: 'Continue a recovery with the token of its email',
    body: RecoveryTokenBody,
    errors: ['E0000001', 'E0000003', 'E0000011', 'E0000047'],
    handler: async ({ context, body }) => {
      const input = { token: body.recoveryToken, relayState: body.relayState ?? null };
      return answered(await redeemToken(ports, context, ['PASSWORD_RESET', 'UNLOCK'], input), context);
    },
  }),
  route({
    ...AUTHN_ROUTE,
    operationId: 'authnAnswerRecoveryQuestion',
    url: AUTHN + AUTHN_STEPS.answer.path,
    summary: 'Answer the recovery question',
    body: AnswerBody,
    errors: ['E0000001', 'E0000003', 'E0000011', 'E0000047', 'E0000079', 'E0000087'],
    handler: async ({ context, body }) => answered(await answerRecoveryQuestion(ports, context, body), context),
  }),
];

const transactionRoutes = (ports: AuthnPorts): AnyRoute[] => [
  route({
    ...AUTHN_ROUTE,
    operationId: 'authnIntrospect',
    url: `${AUTHN}/introspect`,
    summary: 'Retrieve the state of a sign-in without extending it',
    body: StateTokenBody,
    errors: ['E0000001', 'E0000003', 'E0000011'],
    handler: async ({ context, body }) =>
      answered(await showTransaction(ports, context, body.stateToken, { slide: false }), context),
  }),
  route({
    ...AUTHN_ROUTE,
    operationId: 'authnCancel',
    url: AUTHN + AUTHN_STEPS.cancel.path,
    summary: 'Cancel a sign-in',
    body: StateTokenBody,
    response: { status: 200, schema: CancelledSchema },
    errors: ['E0000001', 'E0000003', 'E0000011'],
    handler: async ({ context, body }) => {
      const { relayState } = await cancelTransaction(ports, context, body.stateToken);
      return ok(relayState === null ? {} : { relayState });
    },
  }),
];

/** The contract describes these routes in section 11. */
export const authnRoutes = (ports: AuthnPorts): AnyRoute[] => [
  authenticateRoute(ports),
  ...passwordRoutes(ports),
  ...recoveryRoutes(ports),
  ...transactionRoutes(ports),
  ...factorStepRoutes(ports),
];
