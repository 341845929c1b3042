import type { AdmissionPath } from '../../src/access/admission.ts';

const RIGHTS = 'changes what somebody may do, which is asked with each call: faults-unheard.test.ts';
const SETTINGS = 'nothing that is handed out hangs on it';
const REUSE = 'ends a family of refresh tokens: token-refresh.test.ts at two processes';
const BEGINS = 'ends nothing';
const NO_SIGN_IN = 'sign-ins do not ask for factors yet, so nothing was given for one';
const MORE_RIGHTS =
  'what was begun with fewer rights is void by what is held, not by the event: links-promotions.test.ts';

/**
 * Events that no row of `ENDINGS` names, each with the reason. Keys are event types, or prefixes of them that end with
 * a dot.
 */
export const EVENTS_APART: Readonly<Record<string, string>> = {
  'app.app_instance.csr.revoke': SETTINGS,
  'app.keys.rotate': SETTINGS,
  'app.oauth2.as.token.detect_reuse': REUSE,
  'app.oauth2.token.detect_reuse': REUSE,
  'app.oauth2.client.privilege.revoke': RIGHTS,
  'app.oauth2.trusted_server.delete': 'asked in the transaction of each exchange: token-exchange-refusals.test.ts',
  'application.lifecycle.create': BEGINS,
  'directory.linked_object.delete': SETTINGS,
  'directory.non_default_user_profile.create': BEGINS,
  'directory.non_default_user_profile.delete': 'a type that has users stays',
  'directory.user_profile.update': 'group rules that go by an attribute are judged anew: group-rules-changes.test.ts',
  'event_hook.': SETTINGS,
  'group.privilege.grant': MORE_RIGHTS,
  'group.privilege.revoke': RIGHTS,
  'group.profile.update': BEGINS,
  'group.user_membership.add': BEGINS,
  'group.user_membership.rule.invalidate': 'its members stay, as those of one that is deactivated',
  'iam.': RIGHTS,
  'oauth2.as.updated': BEGINS,
  'security.behavior.settings.delete': SETTINGS,
  'security.trusted_origin.': 'asked with each call: faults-unheard.test.ts',
  'system.email.template.': SETTINGS,
  'system.feature.disable': SETTINGS,
  'system.idp.key.delete': 'nobody signs in by an identity provider yet',
  'system.idp.lifecycle.create': BEGINS,
  'system.log_stream.': SETTINGS,
  'system.org.lifecycle.create': BEGINS,
  'system.org.lifecycle.delete': 'the end of a deletion: nothing is held since its beginning',
  'user.account.privilege.grant': MORE_RIGHTS,
  'user.account.privilege.revoke': RIGHTS,
  'user.account.unlock': BEGINS,
  'user.account.update_profile': BEGINS,
  'user.account.update_user_type': BEGINS,
  'user.authentication.slo': 'tells of an end',
  'user.lifecycle.activate': BEGINS,
  'user.mfa.factor.deactivate': NO_SIGN_IN,
  'user.mfa.factor.reset_all': NO_SIGN_IN,
  'user.lifecycle.create': BEGINS,
  'user.lifecycle.unsuspend': BEGINS,
  'zone.': 'asked with each call: faults-unheard.test.ts',
};

const BY_USER = 'of signing in: admission.test.ts tries each with every operation on its user';
const BY_CLIENT = 'of service apps: admission-clients.test.ts tries each with every operation on its client';

/** Rows of the admission table that no credential in ends-held.ts uses, each with the reason. */
export const PATHS_APART: Readonly<Partial<Record<AdmissionPath, string>>> = {
  passwordSignIn: BY_USER,
  passwordGrant: BY_USER,
  askUserElsewhere: BY_USER,
  assertionGrant: 'of a user who is only named: token-assertion-grant.test.ts tries him in every state',
  changeExpiredPassword: BY_USER,
  activationToken: BY_USER,
  recoveryToken: BY_USER,
  unlockToken: BY_USER,
  refreshSession: BY_USER,
  launchApp:
    'asked of session, assignment, app and policy at each start: the sweep of admissions and app-links.test.ts',
  clientCredentials: BY_CLIENT,
  useClientToken: BY_CLIENT,
  introspectClientToken: BY_CLIENT,
};

/** Tables whose rows expire or can be voided, but that store no credential of ends-held.ts, each with the reason. */
export const TABLES_APART: Readonly<Record<string, string>> = {
  users: 'a parent',
  apps: 'a parent',
  authorization_servers: 'a parent',
  authorization_server_scopes: 'a parent',
  user_recovery_tokens: BY_USER,
  authentication_transactions: BY_USER,
  used_assertions: 'notes of what was used: nothing is admitted by them',
  identity_provider_keys: 'keys of others, by which nobody signs in yet',
  app_signing_keys: 'keys by which apps are signed in to by SAML, which is not there yet',
};
