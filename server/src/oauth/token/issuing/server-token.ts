import { type AdmissionRefusal, admits } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import { type OAuthErrorCode, oauthDescription } from '../../../kernel/errors/oauth-errors.ts';
import { wireGrantType } from '../../../kernel/grant-types.ts';
import type { ClientCredentials } from '../../../management/apps/index.ts';
import { evaluateServerPolicies } from '../../../management/authorization-servers/index.ts';
import {
  accessTokenClaims,
  type LockedServer,
  lockServer,
  type ServerConfiguration,
} from '../../custom-servers/index.ts';
import { askedScopes } from '../scope-rules.ts';
import { readServerScopes } from '../server-scope-rules.ts';
import type { TokenIssuer } from './client-tokens.ts';

const GRANT_TYPE = 'client_credentials';

const REFUSED_ADMISSIONS: Partial<Record<AdmissionRefusal, OAuthErrorCode>> = {
  SERVER_INACTIVE: 'invalidAuthorizationServer',
};

interface Refusal {
  readonly refused: OAuthErrorCode;
  readonly description?: string;
}

const refusedWith = (refused: OAuthErrorCode, values: Readonly<Record<string, string>>): Refusal => ({
  refused,
  description: oauthDescription(refused, values),
});

function refusalOfGrantType({ grantTypes }: ClientCredentials, { namespace }: Context): Refusal | null {
  if (grantTypes.includes(GRANT_TYPE)) return null;
  const wire = grantTypes.map((grantType) => wireGrantType(grantType, namespace));
  return refusedWith('unauthorizedClient', { grantTypes: wire.join(', ') });
}

const namesIn = (requestedScopes: string): readonly string[] => {
  const asked = askedScopes(requestedScopes);
  return 'refused' in asked ? [] : asked.scopes;
};

/**
 * A custom authorization server: its own scopes, if one of its policies gives them to the client, for as long as the
 * rule says, with what its claims say (contract sections 7 and 18).
 */
export const serverTokenIssuer = (
  context: Context,
  server: ServerConfiguration,
): TokenIssuer<LockedServer | undefined> => {
  const { baseUrl, now, orgId } = context;
  const { claims, facts, policies } = server;
  return {
    lock: (tx, requestedScopes) => lockServer(tx, orgId, facts.id, namesIn(requestedScopes)),
    decide: ({ client, live, parents, requestedScopes }) => {
      if (parents === undefined) return { refused: 'invalidAuthorizationServer' };
      const wrongGrantType = refusalOfGrantType(client, context);
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
      const told = accessTokenClaims(claims, {
        appId,
        clientId,
        label,
        applicationType: live.applicationType,
        scopes,
        now,
      });
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
    },
  };
};
