import { type AdmissionRefusal, admits } from '../../../access/index.ts';
import { type OAuthErrorCode, oauthDescription } from '../../../kernel/errors/oauth-errors.ts';
import { evaluateServerPolicies } from '../../../management/authorization-servers/index.ts';
import { accessTokenClaims, lockServer, type ServerConfiguration } from '../../custom-servers/index.ts';
import { grantTypeRefusal } from '../grants/grant-refusals.ts';
import type { GrantRefusal } from '../grants/user-grant.ts';
import { askedScopes } from '../scope-rules.ts';
import { readServerScopes } from '../server-scope-rules.ts';
import type { LockParents } from './client-decision.ts';

const GRANT_TYPE = 'client_credentials';

const REFUSED_ADMISSIONS: Partial<Record<AdmissionRefusal, OAuthErrorCode>> = {
  SERVER_INACTIVE: 'invalidAuthorizationServer',
};

const refusedWith = (refused: OAuthErrorCode, values: Readonly<Record<string, string>>): GrantRefusal => ({
  refused,
  description: oauthDescription(refused, values),
});

const namesIn = (requestedScopes: string): readonly string[] => {
  const tokenRequest = askedScopes(requestedScopes);
  return 'refused' in tokenRequest ? [] : tokenRequest.scopes;
};

/** A policy must grant the scopes; the policy's rule sets the lifetime (contract sections 7, 18). */
export const lockServerOf =
  ({ claims, facts, policies }: ServerConfiguration): LockParents =>
  (context, client, requestedScopes) =>
  async (tx) => {
    const { baseUrl, now, orgId } = context;
    const parents = await lockServer(tx, orgId, facts.id, namesIn(requestedScopes));
    return (live) => {
      if (parents === undefined) return { refused: 'invalidAuthorizationServer' };
      const wrongGrantType = grantTypeRefusal(client, GRANT_TYPE, context);
      if (wrongGrantType !== null) return wrongGrantType;
      const refusal = admits('serverClientCredentials', { client: live, server: parents.server });
      if (refusal !== null) return { refused: REFUSED_ADMISSIONS[refusal] ?? 'invalidClient' };
      const read = readServerScopes(requestedScopes, parents.scopes);
      if ('consentRequired' in read) {
        return refusedWith('consentRequiredForClient', { scopes: read.consentRequired.join(', ') });
      }
      if ('refused' in read) return read;
      const { appId, clientId, label } = client;
      const { scopes } = read;
      const request = { clientId, userId: null, groupIds: [], grantType: GRANT_TYPE, scopes };
      const matched = evaluateServerPolicies(policies, request);
      if (matched === null) return { refused: 'noMatchingPolicy' };
      const { applicationType } = live;
      const told = accessTokenClaims(claims, { appId, clientId, label, applicationType, scopes, now });
      if ('refused' in told) return refusedWith(told.refused, { claim: told.claim });
      const lifetimeSeconds = matched.rule.accessTokenLifetimeMinutes * 60;
      return {
        scopes,
        lifetimeSeconds,
        debugData: { policyId: matched.policy.id, ruleId: matched.rule.id },
        sign: (signer, token) =>
          signer.mintForServer({
            ...token,
            ...told,
            scopes,
            lifetimeSeconds,
            issuer: baseUrl + facts.issuerPath,
            audience: facts.audiences[0] ?? baseUrl + facts.issuerPath,
          }),
      };
    };
  };
