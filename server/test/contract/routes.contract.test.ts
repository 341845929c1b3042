import { describe, expect, test } from 'vitest';
import { allRoutes } from '../../src/app/declared-routes.ts';
import { contractOperations, neutralScope } from '../support/contract.ts';

/** Our own operations, which the published contract does not have. */
const OWN_OPERATIONS: ReadonlySet<string> = new Set([
  // It tells a client that follows an app's link to its policies that the id is missing.
  'assignUnnamedApplicationPolicy',
  // A repeated assignment is not an error there; the published operation by POST refuses it.
  'assignUserToApplicationById',
  'getGroupRuleEvaluation',
  'listEventHookDeliveries',
  'listEventHookDeadLetters',
  'getEventHookDelivery',
  'replayEventHook',
  'listLogStreamDeliveries',
  'listLogStreamDeadLetters',
  'getLogStreamDelivery',
  'replayLogStream',
  'listLogCheckpoints',
  // Approvals that an app's tokens for absent administrators require (ADR 0060).
  'listAbsentUserApprovals',
  'approveClientForAbsentUsers',
  'getAbsentUserApproval',
  'revokeAbsentUserApproval',
  // The published files omit the endpoints that clients sign in with (contract section 11) and the session of a cookie.
  'authenticate',
  'authnChangePassword',
  'authnResetPassword',
  'authnSkip',
  'authnForgotPassword',
  'authnUnlockAccount',
  'authnVerifyRecoveryToken',
  'authnAnswerRecoveryQuestion',
  'authnIntrospect',
  'authnCancel',
  'createSession',
  'extendSession',
  'getCurrentSession',
  'closeCurrentSession',
  'refreshCurrentSession',
  'refreshCurrentSessionLegacyPath',
  'refreshSessionLegacyPath',
  'redirectWithSessionCookie',
  'getWellKnownOAuthConfiguration',
  // OpenID Connect Core 5.3.1 has userinfo by POST, too.
  'userinfoPost',
  'userinfoCustomASPost',
  // Pages that browsers are sent back to.
  'resumeAuthorization',
  // RFC 8414 3.1 has the document between host and path, too.
  'getWellKnownOAuthConfigurationCustomASByPath',
  'getIdentityProviderMetadata',
  // Images, to which the published contract links without saying what serves them.
  'getApplicationLogoFile',
  'getDefaultApplicationLogoFile',
  'getThemeImageFile',
  'discoverIdentityProvider',
  // The document of this API and the page that shows it (ADR 0067).
  'getOpenApiDocument',
  'showApiReference',
  'getApiReferenceFile',
]);

/** Scopes that handlers check themselves, at endpoints where the edge ignores credentials. */
const ASKED_WITHIN: Readonly<Record<string, readonly string[]>> = {
  userinfo: ['openid'],
  userinfoCustomAS: ['openid'],
};

const published = new Map(
  contractOperations()
    .filter((operation) => operation.api === 'management' || operation.api === 'oauth')
    .map((operation) => [operation.operationId, operation]),
);
/** Pages are for people: their content is not described for programs. */
const isPage = ({ errorShape }: (typeof allRoutes)[number]): boolean => errorShape === 'page';
const shared = allRoutes.filter((route) => !OWN_OPERATIONS.has(route.operationId) && !isPage(route));

describe.each(shared.map((route) => [route.operationId, route] as const))('%s', (operationId, route) => {
  const operation = published.get(operationId);

  test('is published, with this method', () => {
    expect(operation?.method).toBe(route.method);
  });

  test('asks for the published scopes', () => {
    const asked = [...route.scopes, ...(ASKED_WITHIN[operationId] ?? [])];
    expect(asked.toSorted()).toEqual((operation?.scopes ?? []).map(neutralScope).toSorted());
  });

  // At OAuth endpoints the client authenticates in the request, without the edge.
  test.skipIf(operation?.api === 'oauth')('is public exactly where the contract says so', () => {
    expect(route.access === 'public').toBe(operation?.public);
  });
});

test('an own operation is one', () => {
  for (const operationId of OWN_OPERATIONS) {
    expect(published.has(operationId)).toBe(false);
    expect(allRoutes.some((route) => route.operationId === operationId)).toBe(true);
  }
});
