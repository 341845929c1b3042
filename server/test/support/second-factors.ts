import { randomUUID } from 'node:crypto';
import { AUTHN, mailTo, newUser, signIn, step } from './authn.ts';
import type { TestClient, TestResponse } from './client.ts';
import { beginStep, type CodeDevice, deviceOf, enroll, QUESTION_FACTOR, shownCode } from './factors.ts';
import { createPolicyPath, createRule, newSignOnRule } from './policies.ts';
import type { TestOrg, TestService } from './service.ts';
import { userPath } from './users.ts';

type Body = TestResponse['body'];

/** Creates a policy that asks for a second factor at each sign-in of a user, or of everybody. */
export async function requireFactor(
  service: TestService,
  org: TestOrg,
  userIds: readonly string[] = [],
): Promise<string> {
  const policy = await createPolicyPath(org);
  const conditions = userIds.length === 0 ? {} : { people: { users: { include: userIds } } };
  const actions = { signon: { access: 'ALLOW', requireFactor: true } };
  const rule = await createRule(org, policy, newSignOnRule({ conditions, actions }));
  // Policies may be a second old.
  service.clock.advance(1_100);
  return `${policy}/rules/${rule.id}`;
}

export interface FactorUser {
  readonly user: Body;
  readonly device: CodeDevice;
}

/** Creates a user who must prove a second factor, and whose device shows codes. The next one is that of one step on. */
export async function userWhoNeedsCode(service: TestService, org: TestOrg): Promise<FactorUser> {
  const user = await newUser(org);
  beginStep(service);
  const device = deviceOf(service, user.id, (await enroll(org.admin, user.id)).body);
  const activated = await org.admin.post(`${device.path}/lifecycle/activate`, { body: { passCode: device.code() } });
  if (activated.status !== 200) throw new Error(`the device was not activated: ${activated.text}`);
  await requireFactor(service, org, [user.id]);
  return { user, device };
}

/** Creates a user who must prove a second factor, and has none. */
export async function userWithoutFactor(service: TestService, org: TestOrg): Promise<Body> {
  const user = await newUser(org);
  await requireFactor(service, org, [user.id]);
  return user;
}

/** Creates a user who must prove a second factor, and has a security question alone. */
export async function userWithQuestion(service: TestService, org: TestOrg): Promise<Body> {
  const user = await newUser(org);
  await enroll(org.admin, user.id, QUESTION_FACTOR);
  await requireFactor(service, org, [user.id]);
  return user;
}

export const verifyPath = (factorId: string): string => `/factors/${factorId}/verify`;
export const activatePath = (factorId: string): string => `/factors/${factorId}/lifecycle/activate`;

export const TOTP_AT_SIGN_IN = { factorType: 'token:software:totp', provider: 'SVC' };

/** The code in the newest email to a user. */
export async function mailedCode(service: TestService, org: TestOrg, user: Body): Promise<string> {
  const { kind, text } = await mailTo(service, org, user);
  const code = /\b\d{8}\b/.exec(text)?.[0];
  if (kind !== 'signInCode' || code === undefined) throw new Error(`no code was sent, but ${kind}: ${text}`);
  return code;
}

/** Signs in with the password of a user without factors and lets a code be sent to the mailbox. */
export async function codeSentTo(org: TestOrg, user: Body, relayState = 'r'): Promise<Body> {
  const { body } = await signIn(org.anonymous, user.profile.login, undefined, { body: { relayState } });
  const sent = await step(org.anonymous, verifyPath(body._embedded.factors[0].id), { stateToken: body.stateToken });
  if (sent.body.status !== 'MFA_CHALLENGE') throw new Error(`no code was sent: ${sent.text}`);
  return sent.body;
}

/** Proves the mailbox of a user without factors, so that the next step is to enroll one. */
export async function mailboxProved(service: TestService, org: TestOrg, user: Body): Promise<Body> {
  const { _embedded, stateToken } = await codeSentTo(org, user);
  const passCode = await mailedCode(service, org, user);
  const proved = await step(org.anonymous, verifyPath(_embedded.factor.id), { stateToken, passCode });
  if (proved.body.status !== 'MFA_ENROLL') throw new Error(`the mailbox was not proved: ${proved.text}`);
  return proved.body;
}

/** Enrolls an authenticator app in a sign-in, which then waits for its first code. */
export async function enrolledAtSignIn(client: TestClient, stateToken: string): Promise<Body> {
  const enrolled = await client.post(`${AUTHN}/factors`, { body: { stateToken, ...TOTP_AT_SIGN_IN } });
  if (enrolled.body.status !== 'MFA_ENROLL_ACTIVATE') throw new Error(`nothing was enrolled: ${enrolled.text}`);
  return enrolled.body;
}

/** The code that the app of a sign-in in MFA_ENROLL_ACTIVATE shows. */
export const enrolledCode = ({ clock }: Pick<TestService, 'clock'>, { _embedded }: Body, steps = 0): string =>
  shownCode(_embedded.factor, clock.now(), steps);

interface Activation {
  readonly user: Body;
  /** The sign-in in progress to which the link has led. */
  readonly body: Body;
}

/** Creates a user and opens the activation link, which was mailed or, with `isMailed` false, given to a program. */
export async function activationOf(service: TestService, org: TestOrg, isMailed = true): Promise<Activation> {
  const email = `${randomUUID()}@example.com`;
  const profile = { login: email, email, firstName: 'New', lastName: 'Comer' };
  const { body: user } = await org.admin.post('/api/v1/users?activate=false', { body: { profile } });
  const activated = await org.admin.post(`${userPath(user.id)}/lifecycle/activate?sendEmail=${isMailed}`);
  const token = isMailed ? (await mailTo(service, org, user)).token : activated.body.activationToken;
  const { body } = await step(org.anonymous, '', { token });
  return { user, body };
}
