import { answer, body, type NamedSchemas } from './named-schema.ts';

const FORM = 'The fields of the form';

export const SIGN_IN_SCHEMAS: NamedSchemas = {
  WebFingerAnswer: answer('discoverIdentityProvider', 'Who authenticates a login (RFC 7033).'),
  AuthenticationRequest: body('authenticate', 'A username with a password, an activation token, or a state token.', {
    username: 'ada@example.com',
    password: 'correct horse battery staple',
  }),
  AuthenticationAnswer: answer('authenticate', 'The next step of a sign-in, or the session token of a finished one.'),
  StateTokenRequest: body('authnSkip', 'The state token of a sign-in.'),
  RelayState: answer('authnCancel', 'The relay state of the sign-in that was ended.'),
  AuthenticationPasswordChange: body('authnChangePassword', 'The old password and the new one, within a sign-in.'),
  AuthenticationPasswordReset: body(
    'authnResetPassword',
    'The new password, at the end of an activation or a recovery.',
  ),
  AuthenticationFactorProof: body('authnVerifyFactor', 'The code or the answer that proves a factor.'),
  AuthenticationFactorEnrollment: body('authnEnrollFactor', 'The kind of factor to enroll.'),
  AuthenticationFactorActivation: body('authnActivateFactor', 'The first code of the device.'),
  RecoveryAnswerRequest: body('authnAnswerRecoveryQuestion', 'The answer to the recovery question.'),
  RecoveryRequest: body('authnForgotPassword', 'The user, and the way in which they get the link.', {
    username: 'ada@example.com',
    factorType: 'EMAIL',
  }),
  RecoveryTokenRequest: body('authnVerifyRecoveryToken', 'The token of the recovery link in an email.'),
  Session: answer('getSession', 'A session of a user.'),
  SessionRequest: body('createSession', 'The session token of a finished sign-in.'),

  FormFields: body('answerConsentPage', 'The fields of a form by name.'),
  ConsentsForm: body('sendConsentsPage', `${FORM} that revokes consents.`),
  PasswordForm: body('sendPasswordPage', `${FORM} that changes the password.`),
  RequestsForm: body('sendRequestsPage', `${FORM} that opens a waiting request.`),
  DecisionForm: body('sendDeviceQuestion', `${FORM} that allows or denies a request.`),
  SessionsForm: body('sendSessionsPage', `${FORM} that ends sessions.`),
  DeviceCodeForm: body('sendDevicePage', `${FORM} that takes the code of a device.`),
  SignInForm: body('sendSignInPage', `${FORM} that starts a sign-in.`),
  SignInStepForm: body('sendSignInStepPage', `${FORM} of the next step of a sign-in.`),
  LoginForm: body('sendForgotPasswordPage', `${FORM} that requests an email.`),
  MailedLinkForm: body('sendMailedLinkPage', `${FORM} that redeems the link in an email.`),
  SignOutForm: body('sendSignOutPage', `${FORM} that signs out.`),
};
