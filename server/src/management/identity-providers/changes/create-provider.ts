import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { FIRST_REVISION } from '../../../kernel/version.ts';
import { newId, orgSuffixOf, randomAlphanumeric } from '../../../kernel/words/ids.ts';
import type { MasterKey } from '../../../platform/crypto/index.ts';
import type { Foundation } from '../../../system-log/index.ts';
import type { ProviderInput } from '../contract.ts';
import { readDocument, readName, readSecret, takesSecret } from '../documents/document-rules.ts';
import { readProviderType } from '../documents/type-rules.ts';
import { lockKeys } from '../keys/provider-keys.ts';
import { providers } from '../resource.ts';
import type { Provider } from '../store.ts';
import { assertMatchSeen } from './assert-match-seen.ts';
import { lockAssignedGroups } from './assigned-groups.ts';
import { sealProviderSecret } from './provider-secret.ts';

export type ProvidersPorts = Pick<Foundation, 'work' | 'masterKey'>;

/** The audience is stored, so that it does not change with the addresses of the org. */
export const newAudience = ({ baseUrl }: Context): string =>
  `${baseUrl}/saml2/service-provider/sp${randomAlphanumeric(18).toLowerCase()}`;

function draft(masterKey: MasterKey, context: Context, input: ProviderInput): Provider {
  const { namespace, orgId } = context;
  const now = wholeSecond(context.now);
  const id = newId('identityProvider', orgSuffixOf(orgId));
  const type = readProviderType(input.type, namespace.upper);
  const document = readDocument(type, input, { word: namespace.word, audience: newAudience(context) });
  const given = readSecret(type, input.protocol, true);
  const secret = takesSecret(type, document) ? given : null;
  return {
    id,
    type,
    name: readName(input.name),
    status: input.status ?? 'ACTIVE',
    document,
    sealedSecret: secret === null ? null : sealProviderSecret(masterKey, orgId, id, secret),
    createdAt: now,
    lastUpdatedAt: now,
    revision: FIRST_REVISION,
  };
}

export async function createProvider(
  { work, masterKey }: ProvidersPorts,
  context: Context,
  input: ProviderInput,
): Promise<Provider> {
  const provider = draft(masterKey, context, input);
  return providers.create(work, context, provider, async (tx) => {
    assertMatchSeen(context, provider.document, null);
    await lockKeys(tx, context, provider.document);
    await lockAssignedGroups(tx, context, provider.document);
  });
}
