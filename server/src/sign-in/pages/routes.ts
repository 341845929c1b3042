import { Type } from '@sinclair/typebox';
import { type AnyRoute, choice, flag, route, text } from '../../platform/http/index.ts';
import { showStart } from './account/account-overview.ts';
import { showPassword, submitPassword } from './account/account-password.ts';
import { showProfile, submitProfile } from './account/account-profile.ts';
import { showSessions, submitSessions } from './account/account-sessions.ts';
import { FormToken, SENT, SHOWN, UI_LOCALES_FIELD } from './page-route.ts';
import type { PagesPorts } from './ports.ts';
import { type LinkKind, showMailedLink, submitMailedLink } from './steps/mailed-link.ts';
import { RECOVERIES, type Recovery, showMailSent, showRecovery, submitRecovery } from './steps/recovery.ts';
import { showSignIn, submitSignIn } from './steps/sign-in.ts';
import { showSignOut, submitSignOut } from './steps/sign-out.ts';
import { STEP_ACTIONS, type StepAction } from './steps/step-parts.ts';
import { showStep, submitStep } from './steps/take-step.ts';

const BODY_LIMIT = {
  bytes: 262_144,
  reason: 'A profile of 64 KB, each byte of which a form may write as three.',
};

const shown = { ...SHOWN, query: UI_LOCALES_FIELD } as const;

const RECOVERY_QUERY = {
  ...UI_LOCALES_FIELD,
  fromURI: text('The path in this org to which the browser goes after the sign-in.'),
} as const;

const SIGN_IN_QUERY = {
  ...RECOVERY_QUERY,
  login_hint: text('The username that the page suggests.', 1_000),
  step: choice('The step of the sign-in page to show.', ['password']),
  reauthenticate: flag('Makes users sign in again who are signed in already.', false),
  done: choice('The event that the page reports to the user.', ['locked', 'over', 'set', 'tries', 'unlocked']),
} as const;

const Password = Type.Optional(Type.String({ maxLength: 4_096 }));
const Username = Type.Optional(Type.String({ maxLength: 4_096 }));

const signInRoutes = (ports: PagesPorts): AnyRoute[] => [
  route({
    ...SHOWN,
    operationId: 'showSignInPage',
    url: '/signin',
    summary: 'Show the sign-in page',
    query: SIGN_IN_QUERY,
    handler: async ({ query, ...request }) => showSignIn(ports, request, query),
  }),
  route({
    ...SENT,
    operationId: 'sendSignInPage',
    url: '/signin',
    summary: 'Sign in with the sign-in page',
    query: SIGN_IN_QUERY,
    body: Type.Object({ formToken: FormToken, username: Username, password: Password }),
    handler: async ({ body, query, ...request }) => submitSignIn(ports, request, query, body),
  }),
  route({
    ...shown,
    operationId: 'showSignInStepPage',
    url: '/signin/step',
    summary: 'Show the next step of a sign-in',
    handler: async (request) => showStep(ports, request),
  }),
  route({
    ...SENT,
    operationId: 'sendSignInStepPage',
    url: '/signin/step',
    summary: 'Take the next step of a sign-in',
    body: Type.Object({
      formToken: FormToken,
      action: Type.Optional(Type.Unsafe<StepAction>({ type: 'string', enum: [...STEP_ACTIONS] })),
      newPassword: Password,
      repeatPassword: Password,
      answer: Type.Optional(Type.String({ maxLength: 100 })),
      factorId: Type.Optional(Type.String({ maxLength: 32 })),
      passCode: Type.Optional(Type.String({ maxLength: 20 })),
    }),
    handler: async ({ body, ...request }) => submitStep(ports, request, body),
  }),
];

const LINKS: readonly (readonly [path: string, kind: LinkKind, operationId: string, link: string])[] = [
  ['/welcome', 'welcome', 'showWelcomePage', 'an activation link'],
  ['/reset_password', 'reset', 'showResetPasswordPage', 'a password reset link'],
  ['/signin/reset-password', 'reset', 'showOwnResetPasswordPage', 'a password recovery link'],
  ['/signin/unlock', 'unlock', 'showUnlockPage', 'an unlock link'],
  ['/signin/address', 'address', 'showAddressPage', 'an email confirmation link'],
];

const linkRoutes = (ports: PagesPorts): AnyRoute[] => [
  ...LINKS.map(([path, kind, operationId, link]) =>
    route({
      ...shown,
      operationId,
      url: `${path}/:token`,
      summary: `Show the page of ${link}`,
      params: Type.Object({ token: Type.String() }),
      handler: async ({ params, ...request }) => showMailedLink(ports, request, kind, params.token),
    }),
  ),
  route({
    ...SENT,
    operationId: 'sendMailedLinkPage',
    url: '/signin/redeem',
    summary: 'Redeem the link in an email',
    body: Type.Object({
      formToken: FormToken,
      kind: Type.Enum({ welcome: 'welcome', reset: 'reset', unlock: 'unlock', address: 'address' }),
      token: Type.String({ minLength: 1, maxLength: 256 }),
    }),
    handler: async ({ body, ...request }) => submitMailedLink(ports, request, body),
  }),
];

const recoveryRoutes = (ports: PagesPorts): AnyRoute[] => [
  ...(Object.keys(RECOVERIES) as Recovery[]).flatMap((recovery) => [
    route({
      ...SHOWN,
      operationId: recovery === 'forgot' ? 'showForgotPasswordPage' : 'showUnlockRequestPage',
      url: RECOVERIES[recovery].path,
      summary: recovery === 'forgot' ? 'Show the page for a forgotten password' : 'Show the page for a locked account',
      query: RECOVERY_QUERY,
      handler: async ({ query, ...request }) => showRecovery(ports, request, recovery, query),
    }),
    route({
      ...SENT,
      operationId: recovery === 'forgot' ? 'sendForgotPasswordPage' : 'sendUnlockRequestPage',
      url: RECOVERIES[recovery].path,
      summary: recovery === 'forgot' ? 'Request a recovery email' : 'Request an unlock email',
      query: RECOVERY_QUERY,
      body: Type.Object({ formToken: FormToken, username: Username }),
      handler: async ({ body, query, ...request }) => submitRecovery(ports, request, recovery, query, body),
    }),
  ]),
  route({
    ...SHOWN,
    operationId: 'showMailSentPage',
    url: '/signin/mail-sent',
    summary: 'Show that an email has been sent',
    query: RECOVERY_QUERY,
    handler: async ({ query, ...request }) => showMailSent(ports, request, query),
  }),
];

const accountRoutes = (ports: PagesPorts): AnyRoute[] => [
  route({
    ...shown,
    operationId: 'getStartPage',
    url: '/',
    summary: 'Show the start page of the org',
    handler: async (request) => showStart(ports, request),
  }),
  route({
    ...SHOWN,
    operationId: 'showProfilePage',
    url: '/account/profile',
    summary: 'Show the profile of the signed-in user',
    query: { ...UI_LOCALES_FIELD, done: choice('The change that the page confirms to the user.', ['saved']) },
    handler: async ({ query, ...request }) => showProfile(ports, request, query.done),
  }),
  route({
    ...SENT,
    operationId: 'sendProfilePage',
    bodyLimit: BODY_LIMIT,
    url: '/account/profile',
    summary: 'Change the profile of the signed-in user',
    body: Type.Record(Type.String(), Type.String()),
    handler: async ({ body, ...request }) => submitProfile(ports, request, body),
  }),
  route({
    ...SHOWN,
    operationId: 'showPasswordPage',
    url: '/account/password',
    summary: 'Show the page for a new password',
    query: { ...UI_LOCALES_FIELD, done: choice('The change that the page confirms to the user.', ['changed']) },
    handler: async ({ query, ...request }) => showPassword(ports, request, query.done),
  }),
  route({
    ...SENT,
    operationId: 'sendPasswordPage',
    url: '/account/password',
    summary: 'Change the password of the signed-in user',
    body: Type.Object({
      formToken: FormToken,
      oldPassword: Password,
      newPassword: Password,
      repeatPassword: Password,
    }),
    handler: async ({ body, ...request }) => submitPassword(ports, request, body),
  }),
  route({
    ...SHOWN,
    operationId: 'showSessionsPage',
    url: '/account/sessions',
    summary: 'Show the sessions of the signed-in user',
    query: { ...UI_LOCALES_FIELD, done: choice('The change that the page confirms to the user.', ['one', 'others']) },
    handler: async ({ query, ...request }) => showSessions(ports, request, query.done),
  }),
  route({
    ...SENT,
    operationId: 'sendSessionsPage',
    url: '/account/sessions',
    summary: 'End other sessions of the signed-in user',
    body: Type.Object({ formToken: FormToken, end: Type.Optional(Type.String({ maxLength: 64 })) }),
    handler: async ({ body, ...request }) => submitSessions(ports, request, body),
  }),
];

const signOutRoutes = (ports: PagesPorts): AnyRoute[] => [
  route({
    ...shown,
    operationId: 'showSignOutPage',
    url: '/signout',
    summary: 'Show the sign-out page',
    handler: async (request) => showSignOut(ports, request),
  }),
  route({
    ...SENT,
    operationId: 'sendSignOutPage',
    url: '/signout',
    summary: 'Sign out',
    body: Type.Object({ formToken: FormToken }),
    handler: async ({ body, ...request }) => submitSignOut(ports, request, body),
  }),
];

export const pageRoutes = (ports: PagesPorts): AnyRoute[] => [
  ...signInRoutes(ports),
  ...linkRoutes(ports),
  ...recoveryRoutes(ports),
  ...accountRoutes(ports),
  ...signOutRoutes(ports),
];
