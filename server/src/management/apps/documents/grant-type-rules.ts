import { invalid } from '../../../kernel/errors/errors.ts';
import { required } from '../../../kernel/errors/field-errors.ts';
import { grantTypesWhere, storedGrantType } from '../../../kernel/grant-types.ts';
import type { Namespace } from '../../../kernel/words/namespace.ts';
import type { ApplicationType, TokenEndpointAuthMethod } from './document-contract.ts';

const FIELD = 'settings.oauthClient.grant_types';

export interface Client {
  readonly applicationType: ApplicationType;
  readonly method: TokenEndpointAuthMethod;
}

export function readGrantType(text: string, namespace: Namespace): string {
  const grantType = storedGrantType(text, namespace);
  if (grantType === null) throw invalid(FIELD, `must not contain ${text}, an unknown grant type.`);
  return grantType;
}

const CONFIDENTIAL: readonly string[] = grantTypesWhere(({ isConfidential }) => isConfidential);

const refusedFor = (applicationType: ApplicationType): readonly string[] =>
  grantTypesWhere(({ applications }) => !applications.includes(applicationType));

export function assertGrantTypes(grantTypes: readonly string[], { applicationType, method }: Client): void {
  if (grantTypes.length === 0) throw required(FIELD);
  if (applicationType === 'service' && !grantTypes.includes('client_credentials')) {
    throw invalid(FIELD, 'must contain client_credentials for an app of type service.');
  }
  const refused = refusedFor(applicationType);
  const wrong = grantTypes.find((grantType) => refused.includes(grantType));
  if (wrong !== undefined) throw invalid(FIELD, `must not contain ${wrong} for an app of type ${applicationType}.`);
  const unproven = grantTypes.find((grantType) => method === 'none' && CONFIDENTIAL.includes(grantType));
  if (unproven !== undefined)
    throw invalid(FIELD, `must not contain ${unproven} for a client that does not authenticate.`);
}
