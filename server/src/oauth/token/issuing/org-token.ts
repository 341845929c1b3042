import { type AdmissionRefusal, admits } from '../../../access/index.ts';
import type { OAuthErrorCode } from '../../../kernel/errors/oauth-errors.ts';
import { ACCESS_TOKEN_LIFETIME_SECONDS } from '../../access-tokens/index.ts';
import { readClientScopes } from '../scope-rules.ts';
import type { LockParents } from './client-decision.ts';

const REFUSED_ADMISSIONS: Partial<Record<AdmissionRefusal, OAuthErrorCode>> = { CLIENT_TYPE: 'serviceClientRequired' };

/** The org's own server grants scopes of the API for an hour (specification 4.6). It has no row to lock. */
export const lockOrg: LockParents =
  ({ baseUrl, namespace }, { clientId }, requestedScopes) =>
  () =>
    Promise.resolve((live) => {
      const refusal = admits('clientCredentials', { client: live });
      if (refusal !== null) return { refused: REFUSED_ADMISSIONS[refusal] ?? 'invalidClient' };
      const read = readClientScopes(requestedScopes, live.scopes, namespace.word);
      if ('refused' in read) return read;
      const { scopes } = read;
      return {
        scopes: scopes.map((scope) => `${namespace.word}.${scope}`),
        lifetimeSeconds: ACCESS_TOKEN_LIFETIME_SECONDS,
        sign: (signer, token) => signer.mint({ ...token, issuer: baseUrl, subject: clientId, scopes }),
      };
    });
