import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import type { ProviderInput } from '../contract.ts';
import { readDocument, readName, readSecret, refuseSecretElsewhere, takesSecret } from '../documents/document-rules.ts';
import { readProviderType } from '../documents/type-rules.ts';
import { lockKeys } from '../keys/provider-keys.ts';
import { providers } from '../resource.ts';
import type { Provider } from '../store.ts';
import { assertMatchSeen } from './assert-match-seen.ts';
import { lockAssignedGroups } from './assigned-groups.ts';
import { newAudience, type ProvidersPorts } from './create-provider.ts';
import { sealProviderSecret } from './provider-secret.ts';

/** A SAML provider keeps its audience if the body contains none. */
const audienceOf = ({ document: { protocol } }: Provider, context: Context): string =>
  protocol.type === 'SAML2' ? protocol.credentials.trust.audience : newAudience(context);

/**
 * Keeps the stored secret if the body contains none and the provider still takes one, because clients that cannot read
 * the secret do not send it.
 */
function sealedSecretOf(
  { masterKey }: ProvidersPorts,
  context: Context,
  [before, after]: readonly [Provider, Provider],
  input: ProviderInput,
): Buffer | null {
  const secret = readSecret(after.type, input.protocol, before.sealedSecret === null);
  if (!takesSecret(after.type, after.document)) return null;
  if (secret !== null) return sealProviderSecret(masterKey, context.orgId, after.id, secret);
  if (before.sealedSecret !== null) refuseSecretElsewhere(after.type, before.document, after.document);
  return before.sealedSecret;
}

/** Keeps the status if the body omits it. */
export async function replaceProvider(
  ports: ProvidersPorts,
  context: Context,
  id: string,
  input: ProviderInput,
): Promise<Provider> {
  const { namespace } = context;
  const type = readProviderType(input.type, namespace.upper);
  return providers.replace(ports.work, context, id, async (before, tx) => {
    if (type !== before.type) throw invalid('type', 'cannot be changed.');
    const setting = { word: namespace.word, audience: audienceOf(before, context) };
    const document = readDocument(type, input, setting, before.document);
    assertMatchSeen(context, document, before.document);
    await lockKeys(tx, context, document);
    await lockAssignedGroups(tx, context, document);
    return {
      name: readName(input.name, before.name),
      status: input.status ?? before.status,
      document,
      sealedSecret: sealedSecretOf(ports, context, [before, { ...before, document }], input),
    };
  });
}
