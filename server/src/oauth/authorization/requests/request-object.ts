import type { Context } from '../../../kernel/context.ts';
import type { OAuthErrorCode } from '../../../kernel/errors/oauth-errors.ts';
import type { ClientId } from '../../../kernel/words/ids.ts';
import { findClientCredentials } from '../../../management/apps/index.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { REQUEST_OBJECT_TYPES } from '../../client-authentication/assertion-rules.ts';
import { parseJws } from '../../client-authentication/jws-rules.ts';
import type { SingleUse } from '../../client-authentication/replay-protection.ts';
import { type AssertionPorts, checkProof } from '../../client-authentication/verify-assertion.ts';
import { isRefused, type Parameters, type Refusal } from './parameter-rules.ts';
import { parametersOf, refusalOfRequestClaims, type SignedWords, singleUseOf } from './request-object-rules.ts';

export interface VerifiedRequest {
  readonly parameters: Parameters;
  readonly singleUse: SingleUse | null;
}

/** A reader of requests that their client has signed (RFC 9101). */
export interface RequestObjects {
  verify(
    context: Context,
    given: {
      readonly client: { readonly clientId: ClientId; readonly requestObjectSigningAlg: string | null };
      /** The issuer of the authorization server, which is the expected audience. */
      readonly issuer: string;
      readonly token: string;
      /** By default, these are the rules for the parameters of an authorization request. */
      readonly words?: SignedWords;
    },
  ): Promise<VerifiedRequest | Refusal>;
}

const REFUSED_PROOFS: Partial<Record<OAuthErrorCode, OAuthErrorCode>> = {
  assertionInvalidSignature: 'requestObjectSignature',
  assertionInvalidAlgorithm: 'requestObjectAlgorithm',
  assertionInvalidKid: 'requestObjectKid',
  assertionInvalidKeyUse: 'requestObjectKeyUse',
  assertionKeysNotConfigured: 'requestObjectKeys',
};

const AUTHORIZATION_WORDS: SignedWords = { numbers: ['max_age'] };

export function createRequestObjects(ports: AssertionPorts & { readonly db: Db }): RequestObjects {
  return {
    verify: async (context, { client, issuer, token, words = AUTHORIZATION_WORDS }) => {
      const jws = parseJws(token);
      if (jws === null) return { refused: 'invalidRequestObject' };
      const { requestObjectSigningAlg } = client;
      if (requestObjectSigningAlg !== null && jws.header['alg'] !== requestObjectSigningAlg) {
        return { refused: 'requestObjectOtherAlgorithm' };
      }
      const credentials = await findClientCredentials(ports.db, context.orgId, client.clientId);
      if (credentials === undefined) return { refused: 'invalidClientId' };
      const unproven = await checkProof(ports, context, credentials, jws, REQUEST_OBJECT_TYPES);
      if (unproven !== null) return { refused: REFUSED_PROOFS[unproven] ?? 'invalidRequestObject' };
      const { claims } = jws;
      const refused = refusalOfRequestClaims(claims, { clientId: client.clientId, issuer, now: context.now });
      if (refused !== null) return refused;
      const parameters = parametersOf(claims, words);
      return isRefused(parameters) ? parameters : { parameters, singleUse: singleUseOf(claims) };
    },
  };
}
