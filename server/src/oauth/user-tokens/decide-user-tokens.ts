import { type AdmissionRefusal, type AppPath, admits } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import { type OAuthErrorCode, oauthDescription } from '../../kernel/errors/oauth-errors.ts';
import type { AppId, ClientId } from '../../kernel/words/ids.ts';
import { evaluateServerPolicies } from '../../management/authorization-servers/index.ts';
import type { AppSignOnDecision } from '../../management/policies/index.ts';
import { ACCESS_TOKEN_LIFETIME_SECONDS } from '../access-tokens/index.ts';
import { decideAppSignOn } from '../app-sign-on/index.ts';
import {
  accessTokenClaims,
  bytesOf,
  type ClaimFacts,
  type ClaimSubject,
  identityClaims,
  MAXIMUM_CLAIMS_BYTES,
  type ServerConfiguration,
} from '../custom-servers/index.ts';
import type { TokenParents } from './lock-parents.ts';
import { standardClaims } from './openid-claim-rules.ts';
import type { TokenUser } from './parents-store.ts';
import { type RequestedScopes, readCustomScopes, readOrgScopes } from './scope-rules.ts';

/** The authentication of the user, as tokens record it. */
export interface Authentication {
  /** Null means that the user was absent and that an app vouched for the user (ADR 0060). */
  readonly authTime: Date | null;
  readonly amr: readonly string[];
  /** The public id of the session (`trs...`). */
  readonly sessionExternalId: string | null;
  /** Further facts, such as the identity provider (`idp`), the requested level (`acr`) and the actor (`act`). */
  readonly details: Readonly<Record<string, unknown>>;
}

export interface SignedIn extends Authentication {
  readonly authTime: Date;
}

export interface UserTokenQuestion {
  readonly client: { readonly appId: AppId; readonly clientId: ClientId; readonly label: string };
  /** Null means the org's own server. */
  readonly server: ServerConfiguration | null;
  readonly parents: TokenParents;
  readonly requestedScopes: RequestedScopes;
  /** The grant type that policies evaluate. For a refresh, it is the grant type of the first request. */
  readonly grantType: string;
  readonly admission: AppPath;
  /** Whether the client did not authenticate. Defaults to false. */
  readonly isPublicClient?: boolean;
  /** The time at which the grant was issued. Later changes, such as a revoked consent, may void the grant. */
  readonly heldSince?: Date;
  readonly authentication: Authentication;
}

export interface RefreshLimits {
  /** A `lifetimeMinutes` of 0 means that there is no limit. */
  readonly lifetimeMinutes: number;
  readonly idleMinutes: number;
}

export interface UserTokenDecision {
  readonly user: TokenUser;
  /** Scopes are spelled as they appear on the wire. */
  readonly scopes: readonly string[];
  readonly lifetimeSeconds: number;
  readonly refresh: RefreshLimits;
  /** The subject of the access token. */
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** `whole` is for an ID token without an access token, and `thin` is for one with an access token. */
  readonly identity: {
    readonly whole: Readonly<Record<string, unknown>>;
    readonly thin: Readonly<Record<string, unknown>>;
  };
  readonly issuedAt: Date;
  readonly app: AppSignOnDecision;
  readonly debugData: Readonly<Record<string, string>>;
}

export interface UserTokenRefusal {
  readonly refused: OAuthErrorCode;
  readonly description?: string;
  readonly admission?: AdmissionRefusal;
  /** The decision of the app's sign-on policy, present only if it caused the refusal. */
  readonly app?: AppSignOnDecision;
}

/** Refresh tokens of the org's own server have fixed lifetimes (ADR 0037). */
const ORG_REFRESH: RefreshLimits = { lifetimeMinutes: 90 * 24 * 60, idleMinutes: 7 * 24 * 60 };

/** The org's own server has no row and is never inactive. */
const ORG_PARENT = { status: 'ACTIVE' };

/** With more groups than this, the `groups` claim is left out, because a part could be mistaken for the whole. */
const MAXIMUM_GROUPS = 100;

const refusedWith = (refused: OAuthErrorCode, values: Readonly<Record<string, string>>): UserTokenRefusal => ({
  refused,
  description: oauthDescription(refused, values),
});

const REFUSED_ADMISSIONS: Partial<Record<AdmissionRefusal, OAuthErrorCode>> = {
  SERVER_INACTIVE: 'invalidAuthorizationServer',
  CLIENT_INACTIVE: 'invalidClient',
  CLIENT_TYPE: 'invalidClient',
  APP_POLICY: 'appPolicyDenied',
  USER_ABSENT: 'absentUserDenied',
};

function groupsClaim(scopes: readonly string[], groups: ClaimSubject['groups']): Record<string, unknown> {
  if (!scopes.includes('groups') || groups.length > MAXIMUM_GROUPS) return {};
  const names = groups.map(({ name }) => name);
  return bytesOf(names) > MAXIMUM_CLAIMS_BYTES ? {} : { groups: names };
}

export const orgIdentity = (
  scopes: readonly string[],
  user: TokenUser,
  groups: ClaimSubject['groups'],
): Record<string, unknown> => ({ ...standardClaims(scopes, user), ...groupsClaim(scopes, groups) });

type Decided = Omit<UserTokenDecision, 'user' | 'issuedAt' | 'app'>;

function decideAtOrg(context: Context, question: UserTokenQuestion, user: TokenUser): Decided | UserTokenRefusal {
  const { live, groups } = question.parents;
  const read = readOrgScopes(question.requestedScopes, live?.scopes ?? [], context.namespace.word);
  if ('refused' in read) return read;
  const { scopes } = read;
  const whole = orgIdentity(scopes, user, groups);
  const { groups: _names, ...standard } = whole;
  if (bytesOf(standard) > MAXIMUM_CLAIMS_BYTES) return refusedWith('systemClaimFailed', { claim: 'profile' });
  return {
    scopes,
    lifetimeSeconds: ACCESS_TOKEN_LIFETIME_SECONDS,
    refresh: ORG_REFRESH,
    subject: question.parents.subject,
    claims: {},
    identity: { whole, thin: whole },
    debugData: {},
  };
}

export function claimFactsOf(
  { now }: Context,
  question: Pick<UserTokenQuestion, 'authentication' | 'client' | 'parents'>,
  user: TokenUser,
  scopes: readonly string[],
): ClaimFacts & { readonly subject: ClaimSubject } {
  const { authentication, client, parents } = question;
  const { appUser, groups, live, subject } = parents;
  const session = { id: authentication.sessionExternalId, amr: authentication.amr };
  return {
    appId: client.appId,
    clientId: client.clientId,
    label: client.label,
    applicationType: live?.applicationType ?? '',
    scopes,
    now,
    subject: { user, name: subject, appUser, groups, session },
  };
}

/** Returns whether a change has voided a scope, or the consent to it, since the grant was issued. */
function isTakenAway({ heldSince, parents }: UserTokenQuestion, scopes: readonly string[]): boolean {
  if (heldSince === undefined) return false;
  const watermarks = [...(parents.locked?.scopes ?? []), ...parents.takenBack];
  return watermarks.some(({ name, validAfter }) => scopes.includes(name) && heldSince <= validAfter);
}

function decideAtServer(
  context: Context,
  question: UserTokenQuestion,
  user: TokenUser,
  server: ServerConfiguration,
): Decided | UserTokenRefusal {
  const { client, grantType, parents, requestedScopes } = question;
  const read = readCustomScopes(requestedScopes, parents.locked?.scopes ?? []);
  if ('refused' in read) return read;
  const { scopes } = read;
  if (isTakenAway(question, scopes)) return { refused: 'invalidGrant', admission: 'REVOKED' };
  const groupIds = parents.groups.map(({ id }) => id);
  const request = { clientId: client.clientId, userId: user.id, groupIds, grantType, scopes };
  const matched = evaluateServerPolicies(server.policies, request);
  if (matched === null) return { refused: 'noMatchingPolicy' };
  const facts = claimFactsOf(context, question, user, scopes);
  const told = accessTokenClaims(server.claims, facts);
  const whole = identityClaims(server.claims, facts, true);
  const thin = identityClaims(server.claims, facts, false);
  if ('refused' in told) return refusedWith(told.refused, { claim: told.claim });
  if ('refused' in whole) return refusedWith(whole.refused, { claim: whole.claim });
  // `whole` contains the claims of `thin` and was evaluated, so this refusal cannot occur.
  if ('refused' in thin) return refusedWith(thin.refused, { claim: thin.claim });
  const { policy, rule } = matched;
  return {
    scopes,
    lifetimeSeconds: rule.accessTokenLifetimeMinutes * 60,
    refresh: {
      lifetimeMinutes: rule.refreshTokenLifetimeMinutes,
      idleMinutes: rule.refreshTokenWindowMinutes,
    },
    subject: told.subject,
    claims: told.claims,
    identity: { whole: whole.claims, thin: thin.claims },
    debugData: { policyId: policy.id, ruleId: rule.id },
  };
}

/** Decides what a client gets on behalf of a user, or why it gets nothing. The decision itself changes nothing. */
export function decideUserTokens(context: Context, question: UserTokenQuestion): UserTokenDecision | UserTokenRefusal {
  const { admission, authentication, heldSince, isPublicClient = false, parents, server } = question;
  const { live, locked, presence, user } = parents;
  if ((authentication.authTime === null) !== (presence !== 'PRESENT')) throw new Error('nobody asked who is there');
  if (user === undefined) return { refused: 'invalidGrant', admission: 'USER_STATUS' };
  if (live === undefined) return { refused: 'invalidClient', admission: 'CLIENT_INACTIVE' };
  const parent = server === null ? ORG_PARENT : locked?.server;
  if (parent === undefined) return { refused: 'invalidAuthorizationServer', admission: 'SERVER_INACTIVE' };
  const issued = heldSince === undefined ? {} : { issuedAt: heldSince };
  const { accessPolicyId, appPolicies } = parents;
  const groupIds = parents.groups.map(({ id }) => id);
  const app = decideAppSignOn(appPolicies, { path: admission, isPublicClient, accessPolicyId, user, groupIds });
  const refusal = admits(admission, { user, client: live, server: parent, app, presence, ...issued });
  if (refusal !== null) {
    const told = refusal === 'APP_POLICY' ? { app } : {};
    return { refused: REFUSED_ADMISSIONS[refusal] ?? 'invalidGrant', admission: refusal, ...told };
  }
  if (parents.assignedSince === null) return { refused: 'userNotAssigned' };
  if (heldSince !== undefined && heldSince <= parents.assignedSince) {
    return { refused: 'invalidGrant', admission: 'REVOKED' };
  }
  const decided =
    server === null ? decideAtOrg(context, question, user) : decideAtServer(context, question, user, server);
  return 'refused' in decided ? decided : { ...decided, user, app, issuedAt: parents.issuedAt };
}
