import { describe, expect, test } from 'vitest';
import { allRoutes } from '../../src/app/declared-routes.ts';
import type { AnyRoute } from '../../src/platform/http/index.ts';
import { contractOperations, neutralScope } from '../support/contract.ts';
import { expectOfEvery } from '../support/offenders.ts';

const OWN_OPERATIONS: ReadonlySet<string> = new Set([
  // Clients that follow an app's link to its policies reach this route. It responds that the policy id is missing.
  'assignUnnamedApplicationPolicy',
  // This PUT accepts a repeated assignment. The published POST refuses it.
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
  // An app needs these approvals to get tokens for absent administrators (ADR 0060).
  'listAbsentUserApprovals',
  'approveClientForAbsentUsers',
  'getAbsentUserApproval',
  'revokeAbsentUserApproval',
  // The published files omit the endpoints for sign-in (contract section 11), some endpoints for sessions, and the
  // metadata of the org's own server (RFC 8414).
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
  'authnVerifyFactor',
  'authnResendFactor',
  'authnEnrollFactor',
  'authnActivateFactor',
  'authnPrevious',
  'createSession',
  'extendSession',
  'getCurrentSession',
  'closeCurrentSession',
  'refreshCurrentSession',
  'refreshCurrentSessionLegacyPath',
  'refreshSessionLegacyPath',
  'redirectWithSessionCookie',
  'getWellKnownOAuthConfiguration',
  // OpenID Connect Core 5.3.1 also allows POST at the userinfo endpoint.
  'userinfoPost',
  'userinfoCustomASPost',
  // Browsers return to this page to continue an authorization request.
  'resumeAuthorization',
  // According to RFC 8414 3.1, the well-known path of this document comes between the host and the path of the issuer.
  'getWellKnownOAuthConfigurationCustomASByPath',
  'getIdentityProviderMetadata',
  // The published contract links to the images that these operations serve.
  'getApplicationLogoFile',
  'getDefaultApplicationLogoFile',
  'getThemeImageFile',
  // The published documents lack WebFinger, which specification 4.5 describes.
  'discoverIdentityProvider',
  // These operations serve the document of this API and the page that shows it (ADR 0067).
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
const isPage = ({ errorShape }: AnyRoute): boolean => errorShape === 'page';
const shared = allRoutes.filter((route) => !OWN_OPERATIONS.has(route.operationId) && !isPage(route));
const everyShared = { rows: shared, nameOf: ({ operationId }: AnyRoute) => operationId, atLeast: 375 };

describe('every operation', () => {
  test('is published, with this method', () =>
    expectOfEvery(everyShared, ({ method, operationId }) => {
      expect(published.get(operationId)?.method).toBe(method);
    }));

  test('asks for the published scopes', () =>
    expectOfEvery(everyShared, ({ operationId, scopes }) => {
      const asked = [...scopes, ...(ASKED_WITHIN[operationId] ?? [])];
      const wanted = (published.get(operationId)?.scopes ?? []).map(neutralScope);
      expect(asked.toSorted()).toEqual(wanted.toSorted());
    }));

  test('is public exactly where the contract says so', () => {
    // OAuth endpoints authenticate the client themselves, so `access`, which is for the edge, says nothing about them.
    const rows = shared.filter(({ operationId }) => published.get(operationId)?.api !== 'oauth');
    return expectOfEvery({ ...everyShared, rows, atLeast: 350 }, ({ access, operationId }) => {
      expect(access === 'public').toBe(published.get(operationId)?.public);
    });
  });
});

test('an own operation is one', () => {
  for (const operationId of OWN_OPERATIONS) {
    expect(published.has(operationId)).toBe(false);
    expect(allRoutes.some((route) => route.operationId === operationId)).toBe(true);
  }
});
