import { answer, body, type NamedSchemas } from './named-schema.ts';

const FORM = 'The fields of the form';

/** Schemas of sign-in and sessions, and the fields of the forms of pages. */
export const SIGN_IN_SCHEMAS: NamedSchemas = {
  WebFingerAnswer: answer('discoverIdentityProvider', 'Who authenticates a login (RFC 7033).'),
  AuthenticationRequest: body('authenticate', 'How a sign-in begins: with a password, or with a token.', {
    username: 'ada@example.com',
    password: 'correct horse battery staple',
  }),
  AuthenticationAnswer: answer(
    'authenticate',
    'The step that a sign-in has reached, or the session token that it ends with.',
  ),
  StateTokenRequest: body('authnSkip', 'The state token of a sign-in.'),
  RelayState: answer('authnCancel', 'The relay state of the sign-in that was ended.'),
  AuthenticationPasswordChange: body('authnChangePassword', 'The old password and the new one, within a sign-in.'),
  AuthenticationPasswordReset: body(
    'authnResetPassword',
    'The new password, at the end of an activation or a recovery.',
  ),
  RecoveryAnswerRequest: body('authnAnswerRecoveryQuestion', 'The answer to the recovery question.'),
  RecoveryRequest: body(
    'authnForgotPassword',
    'The user whose account is recovered, and the way in which they are told.',
    {
      username: 'ada@example.com',
      factorType: 'EMAIL',
    },
  ),
  RecoveryTokenRequest: body('authnVerifyRecoveryToken', 'The token of a recovery mail.'),
  Session: answer('getSession', 'A session of a user.'),
  SessionRequest: body('createSession', 'The session token that a sign-in ended with.'),

  FormFields: body('answerConsentPage', 'The fields of a form by name.'),
  ConsentsForm: body('sendConsentsPage', `${FORM} that takes back consents.`),
  PasswordForm: body('sendPasswordPage', `${FORM} that changes the password.`),
  RequestsForm: body('sendRequestsPage', `${FORM} that opens a request that waits.`),
  DecisionForm: body('sendDeviceQuestion', `${FORM} that allows or refuses.`),
  SessionsForm: body('sendSessionsPage', `${FORM} that ends sessions.`),
  DeviceCodeForm: body('sendDevicePage', `${FORM} that takes the code of a device.`),
  SignInForm: body('sendSignInPage', `${FORM} that begins a sign-in.`),
  SignInStepForm: body('sendSignInStepPage', `${FORM} of a step of a sign-in.`),
  LoginForm: body('sendForgotPasswordPage', `${FORM} that asks for a mail.`),
  MailedLinkForm: body('sendMailedLinkPage', `${FORM} that goes on with a mailed link.`),
  SignOutForm: body('sendSignOutPage', `${FORM} that signs out.`),
};
