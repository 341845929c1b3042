import { type AdmissionRefusal, admits } from '../../../access/index.ts';
import type { Context } from '../../../kernel/context.ts';
import type { OAuthErrorCode } from '../../../kernel/errors/oauth-errors.ts';
import { ACCESS_TOKEN_LIFETIME_SECONDS } from '../../access-tokens/index.ts';
import { readClientScopes } from '../scope-rules.ts';
import type { TokenIssuer } from './client-tokens.ts';

const REFUSED_ADMISSIONS: Partial<Record<AdmissionRefusal, OAuthErrorCode>> = { CLIENT_TYPE: 'serviceClientRequired' };

const NOTHING = Promise.resolve(null);

/** The org's own authorization server: scopes of the API, for an hour (specification 4.6). */
export const orgTokenIssuer = ({ baseUrl, namespace }: Context): TokenIssuer<null> => ({
  lock: () => NOTHING,
  decide: ({ client: { clientId }, live, requestedScopes }) => {
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
  },
});
