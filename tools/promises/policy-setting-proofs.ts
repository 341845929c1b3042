import type { PolicyType } from '../../server/src/management/policies/types/type-rules.ts';
import type { Proof } from './proof.ts';

/**
 * Settings of some policy types. A place is a path that begins with `conditions`, `settings`, `rule.conditions` or
 * `rule.actions`.
 */
interface Placed {
  readonly types: readonly PolicyType[];
  readonly places: readonly string[];
}

interface SettingProof extends Placed, Proof {}

interface SettingLimit extends Placed {
  readonly reason: string;
}

/** Expands `{a,b}.c` to `a.c` and `b.c`, and replaces `<word>` with `{word}`, which stands for the namespace word. */
function unfolded(text: string): string[] {
  const found = /\{([^{}]*,[^{}]*)\}/.exec(text);
  if (found === null) return [text.replace('<word>', '{word}')];
  const choices = found[1]?.split(',') ?? [];
  return choices.flatMap((choice) => unfolded(text.replace(found[0], choice.trim())));
}

const API = 'server/test/api/';
const RULES = 'server/src/management/policies/';
const shown = (
  types: readonly PolicyType[],
  places: string,
  file: string,
  title: string,
  row?: string,
): SettingProof => ({
  types,
  places: unfolded(places),
  file,
  title,
  ...(row === undefined ? {} : { row }),
});
const limit = (types: readonly PolicyType[], places: string, reason: string): SettingLimit => ({
  types,
  places: unfolded(places),
  reason,
});

const PEOPLE = 'rule.conditions.people.{users,groups}.{include,exclude}';
const NETWORK = 'rule.conditions.network.{connection,include,exclude}';
const EVALUATION = `${RULES}evaluation/evaluation-rules.test.ts`;
const PASSWORD_EVALUATION = `${RULES}evaluation/password-evaluation-rules.test.ts`;
const ACCESS = `${RULES}types/app-sign-on-rules.test.ts`;
const SIGN_ON = 'rule.actions.signon';
const COMPLEXITY = 'settings.password.complexity';
const RESET = 'rule.actions.selfServicePasswordReset';
const VERIFICATION = 'rule.actions.appSignOn.verificationMethod';
const METHOD = 'rule.actions.appSignOn.verificationMethod.constraints';
const CHAIN = `${VERIFICATION}.chains`;
const CHAIN_PART =
  'authenticationMethods.{key,method,id,hardwareProtection,phishingResistant,userVerification,userVerificationMethods}';

// biome-ignore format: each setting is one line
export const POLICY_SETTING_PROOFS: readonly SettingProof[] = [
  shown(['SIGN_ON'], 'conditions.people.groups.{include,exclude}', EVALUATION, 'groups %j without %j, of somebody in %j, in the rule and in the policy'),
  shown(['PASSWORD'], 'conditions.people.groups.{include,exclude}', `${API}password-policies.test.ts`, 'that of the group, by priority, as soon as the user is in it; without a group the default'),
  shown(['PASSWORD'], 'conditions.authProvider.provider', PASSWORD_EVALUATION, '%s of one kept by %s: %s'),

  shown(['SIGN_ON'], 'rule.conditions.people.users.{include,exclude}', EVALUATION, 'users %j without %j'),
  shown(['SIGN_ON'], 'rule.conditions.people.groups.{include,exclude}', EVALUATION, 'groups %j without %j, of somebody in %j, in the rule and in the policy'),
  shown(['PASSWORD'], PEOPLE, PASSWORD_EVALUATION, 'any rules of any policies: the first that is for someone, as said plainly'),
  shown(['ACCESS_POLICY'], 'rule.conditions.people.users.include', ACCESS, '%s', 'a user'),
  shown(['ACCESS_POLICY'], 'rule.conditions.people.users.exclude', ACCESS, '%s', 'all but the user'),
  shown(['ACCESS_POLICY'], 'rule.conditions.people.groups.include', ACCESS, '%s', 'a group'),
  shown(['ACCESS_POLICY'], 'rule.conditions.people.groups.exclude', ACCESS, '%s', 'all but a group'),
  shown(['ACCESS_POLICY'], 'rule.conditions.userType.include', ACCESS, '%s', 'a type of users'),
  shown(['ACCESS_POLICY'], 'rule.conditions.userType.exclude', ACCESS, '%s', 'all but a type'),
  shown(['SIGN_ON', 'IDP_DISCOVERY'], NETWORK, EVALUATION, 'network %s, in %j, not in %j, from %j: %s'),
  shown(['PASSWORD'], NETWORK, `${API}password-recovery-policies.test.ts`, 'all of it from a network that no rule is for; what a password must be stays the same'),
  shown(['ACCESS_POLICY'], NETWORK, `${API}app-sign-on.test.ts`, 'is where the user is when he signs in to the app, by the address that the org believes'),

  shown(['SIGN_ON'], `${SIGN_ON}.access`, `${API}authn-policies.test.ts`, 'DENY: the answer of a wrong password; the log says which rule it was'),
  shown(['SIGN_ON'], `${SIGN_ON}.requireFactor`, `${API}authn-factors.test.ts`, 'demands a code beside the password; the session, the log and the state tell both'),
  shown(['SIGN_ON'], `${SIGN_ON}.session.usePersistentCookie`, `${API}sessions-cookies.test.ts`, 'the cookie persists only where the session is to, and no longer than the session may live'),
  shown(['SIGN_ON'], `${SIGN_ON}.session.maxSessionIdleMinutes`, `${API}sessions-refresh.test.ts`, 'idle too long, a session has ended: for its holder, and for administrators'),
  shown(['SIGN_ON'], `${SIGN_ON}.session.maxSessionLifetimeMinutes`, `${API}sessions-refresh.test.ts`, 'no refresh goes beyond the lifetime, and none follows it'),

  shown(['IDP_DISCOVERY'], 'rule.conditions.userIdentifier.{type,attribute,patterns.matchType,patterns.value}', `${API}webfinger.test.ts`, '%s: %j', 'chief@equals.example'),
  shown(['IDP_DISCOVERY'], 'rule.conditions.app.{include,exclude}', EVALUATION, 'apps %j without %j, to %j: %s'),
  shown(['IDP_DISCOVERY'], 'rule.conditions.platform.{include,exclude}', EVALUATION, 'platforms %j without %j, on %j: %s'),
  shown(['IDP_DISCOVERY'], 'rule.actions.idp.providers', `${API}policies-engine.test.ts`, 'a rule is sent to the providers that are active'),

  shown(['PASSWORD'], `${COMPLEXITY}.{minLength,minUpperCase,minNumber,minSymbol,dictionary.common.exclude,excludeAttributes,maxConsecutiveCharacters}`, `${API}password-policies.test.ts`, 'one cause per rule that is broken'),
  shown(['PASSWORD'], `${COMPLEXITY}.minLowerCase`, 'server/src/management/users/passwords/password-rules.test.ts', 'counts as many as the policy asks for'),
  shown(['PASSWORD'], `${COMPLEXITY}.excludeUsername`, 'server/src/management/users/passwords/password-rules.test.ts', 'of %s, %s violates %j'),
  shown(['PASSWORD'], 'settings.password.age.{maxAgeDays,expireWarnDays}', `${API}password-policies.test.ts`, 'a password that is too old has to be changed, one that soon will be is warned of'),
  shown(['PASSWORD'], 'settings.password.age.{minAgeMinutes,historyCount}', `${API}password-policies.test.ts`, 'the last passwords are not taken again, as many as the policy says; strict asks for an age'),
  shown(['PASSWORD'], 'settings.password.lockout.{maxAttempts,autoUnlockMinutes,showLockoutFailures}', `${API}password-policies.test.ts`, 'after as many attempts as the policy says, shown and lifted as it says'),
  shown(['PASSWORD'], 'settings.password.lockout.userLockoutNotificationChannels', `${API}password-policies.test.ts`, 'the owner gets a mail where the policy says so, once'),
  shown(['PASSWORD'], 'settings.recovery.factors.recovery_question.status', `${API}password-recovery-policies.test.ts`, 'is asked where it is active and set, and not where the policy or the rule says so'),
  shown(['PASSWORD'], 'settings.recovery.factors.recovery_question.properties.complexity.minLength', `${API}password-recovery-policies.test.ts`, 'has an answer as long as the policy says'),
  shown(['PASSWORD'], 'settings.recovery.factors.<word>_email.status', `${API}password-recovery-policies.test.ts`, 'is neither for passwords nor for locked accounts where the policy has it inactive'),
  shown(['PASSWORD'], 'settings.recovery.factors.<word>_email.properties.recoveryToken.tokenLifetimeMinutes', `${API}password-recovery-policies.test.ts`, 'a token lives as long as the policy says, and the mail says how long'),
  shown(['PASSWORD'], 'rule.actions.passwordChange.access', `${API}password-recovery-policies.test.ts`, 'the change of the own password; an expired one has to be changed all the same'),
  shown(['PASSWORD'], `${RESET}.access`, `${API}password-recovery-policies.test.ts`, 'the reset of a forgotten one: no mail, and the same answer as ever'),
  shown(['PASSWORD'], `${RESET}.requirement.primary.methods`, `${API}password-recovery-policies.test.ts`, 'a reset by other means than mail, which there are none of here'),
  shown(['PASSWORD'], `${RESET}.requirement.stepUp.required`, `${API}password-recovery-policies.test.ts`, 'is required where the rule says so: without one there is no recovery'),
  shown(['PASSWORD'], 'rule.actions.selfServiceUnlock.access', `${API}password-recovery-policies.test.ts`, 'the unlocking of the own account'),

  shown(['ACCESS_POLICY'], 'rule.conditions.{riskScore.level,device.registered,device.managed,elCondition.condition}', ACCESS, '%s: nobody gets in for whom the rest holds, whatever the rule would do'),
  shown(['ACCESS_POLICY'], 'rule.conditions.platform.{include,exclude}.{type,os.type,os.expression,os.version.matchType,os.version.value}', ACCESS, '%s: nobody gets in for whom the rest holds, whatever the rule would do'),
  shown(['ACCESS_POLICY'], 'rule.actions.appSignOn.access', `${API}app-sign-on.test.ts`, 'gives no code to the bearer of a session token, and the log says which rule it was'),
  shown(['ACCESS_POLICY'], `${VERIFICATION}.type`, ACCESS, '%s', 'a proof of identity'),
  shown(['ACCESS_POLICY'], `${VERIFICATION}.inactivityPeriod`, ACCESS, '%s', 'activity'),
  shown(['ACCESS_POLICY'], `${VERIFICATION}.factorMode`, `${API}app-sign-on.test.ts`, 'is access_denied, with the reason in the log'),
  shown(['ACCESS_POLICY'], `${VERIFICATION}.reauthenticateIn`, `${API}app-sign-on-age.test.ts`, 'is asked of every request: who signed in longer ago is asked to, and goes on then'),
  shown(['ACCESS_POLICY'], `${METHOD}.knowledge.reauthenticateIn`, ACCESS, 'how old a sign-in may be: the shortest that is said'),
  shown(['ACCESS_POLICY'], `${METHOD}.knowledge.types`, ACCESS, '%s', 'knowledge of an answer'),
  shown(['ACCESS_POLICY'], `${METHOD}.knowledge.methods`, ACCESS, '%s', 'the method of an answer'),
  shown(['ACCESS_POLICY'], `${METHOD}.knowledge.authenticationMethods.key`, ACCESS, '%s', 'an authenticator that is no password'),
  shown(['ACCESS_POLICY'], `${METHOD}.knowledge.authenticationMethods.method`, ACCESS, '%s', 'a password by another method'),
  shown(['ACCESS_POLICY'], `${METHOD}.knowledge.excludedAuthenticationMethods.key`, ACCESS, '%s', 'all but a password'),
  shown(['ACCESS_POLICY'], `${METHOD}.knowledge.excludedAuthenticationMethods.method`, ACCESS, '%s', 'all but a password by its method'),
  // A password does not count as possession.
  shown(['ACCESS_POLICY'], `${METHOD}.possession.{required,types,methods,reauthenticateIn,deviceBound,hardwareProtection,phishingResistant,userPresence,userVerification,userVerificationMethods}`, ACCESS, '%s', 'possession'),
  shown(['ACCESS_POLICY'], `${METHOD}.possession.{authenticationMethods,excludedAuthenticationMethods}.{key,id,method}`, ACCESS, '%s', 'possession'),
  shown(['ACCESS_POLICY'], `${CHAIN}.authenticationMethods.key`, ACCESS, '%s', 'a chain of another authenticator'),
  shown(['ACCESS_POLICY'], `${CHAIN}.authenticationMethods.method`, ACCESS, '%s', 'a chain of a password by another method'),
  shown(['ACCESS_POLICY'], `${CHAIN}.authenticationMethods.{hardwareProtection,phishingResistant,userVerification}`, ACCESS, '%s', 'a chain of a password with ${name}'),
  shown(['ACCESS_POLICY'], `${CHAIN}.reauthenticateIn`, ACCESS, 'the one of a chain, which counts from the sign-in as well'),
  // A password alone does not complete a chain with further steps.
  shown(['ACCESS_POLICY'], `${CHAIN}.{next,next.next}.${CHAIN_PART}`, ACCESS, '%s', 'a chain of more'),
  shown(['ACCESS_POLICY'], `${CHAIN}.{next,next.next}.reauthenticateIn`, ACCESS, '%s', 'a chain of more'),
];

/** Settings that have no effect. The list may only shrink. */
// biome-ignore format: each setting is one line
export const POLICY_SETTING_LIMITS: readonly SettingLimit[] = [
  limit(['SIGN_ON'], 'rule.conditions.identityProvider.provider', 'Users can only sign in at the org itself, because other providers are not supported yet.'),
  limit(['SIGN_ON'], `${SIGN_ON}.primaryFactor`, 'A password is the only first factor.'),
  limit(['PASSWORD'], 'settings.recovery.factors.<word>_{sms,call}.status', 'Gatehouse sends no text messages and makes no calls.'),
  limit(['PASSWORD'], 'settings.delegation.options.skipUnlock', 'There is no directory to which sign-ins could be delegated.'),
  limit(['PASSWORD'], `${RESET}.type`, 'It has only one value.'),
  limit(['PASSWORD'], `${RESET}.requirement.primary.methodConstraints.{method,allowedAuthenticators.key}`, 'There is only one kind of authenticator.'),
  limit(['PASSWORD'], `${RESET}.requirement.stepUp.methods`, 'The recovery question is the only second step.'),
  limit(['PASSWORD'], `${RESET}.requirement.accessControl`, 'It must be LEGACY, which means that the rule itself decides.'),
  limit(['PASSWORD'], `${RESET}.settings.allowRecoveryEmailWithoutEnrollment`, 'Recovery mails go to the email address of the profile, and no address is enrolled.'),
  limit(['ACCESS_POLICY'], `${VERIFICATION}.id`, 'Identity proofing is not supported yet, so such a rule lets nobody in.'),
  limit(['ACCESS_POLICY'], `${METHOD}.knowledge.required`, 'A password is always required.'),
  limit(['ACCESS_POLICY'], `${METHOD}.knowledge.{authenticationMethods,excludedAuthenticationMethods}.id`, 'Each authenticator key has one authenticator, so ids add nothing.'),
  limit(['ACCESS_POLICY'], `${CHAIN}.authenticationMethods.{id,userVerificationMethods}`, 'Each authenticator key has one authenticator, and passwords have one verification method.'),
  limit(['ACCESS_POLICY'], 'rule.actions.appSignOn.keepMeSignedIn.{postAuth,postAuthPromptFrequency}', 'No page asks users whether to stay signed in.'),
];
