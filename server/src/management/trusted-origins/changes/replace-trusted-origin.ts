import type { Context } from '../../../kernel/context.ts';
import type { Work } from '../../../system-log/index.ts';
import type { TrustedOriginInput } from '../contract.ts';
import { trustedOrigins } from '../resource.ts';
import { readName, readOrigin, readScopes } from '../rules.ts';
import type { TrustedOrigin } from '../store.ts';

/** Keeps the status if the body omits it. */
export async function replaceTrustedOrigin(
  work: Work,
  context: Context,
  id: string,
  input: TrustedOriginInput,
): Promise<TrustedOrigin> {
  const origin = readOrigin(input.origin);
  const scopes = readScopes(input.scopes, context.namespace.capitalised);
  return trustedOrigins.replace(work, context, id, (before) => ({
    name: readName(input.name, before.name),
    origin,
    scopes,
    status: input.status ?? before.status,
    lastUpdatedBy: context.actor.id,
  }));
}
