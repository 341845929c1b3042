import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { FIRST_REVISION } from '../../../kernel/version.ts';
import { newId, orgSuffixOf } from '../../../kernel/words/ids.ts';
import type { Work } from '../../../system-log/index.ts';
import type { TrustedOriginInput } from '../contract.ts';
import { trustedOrigins } from '../resource.ts';
import { readName, readOrigin, readScopes } from '../rules.ts';
import type { TrustedOrigin } from '../store.ts';

function draft(context: Context, input: TrustedOriginInput): TrustedOrigin {
  const now = wholeSecond(context.now);
  return {
    id: newId('trustedOrigin', orgSuffixOf(context.orgId)),
    name: readName(input.name),
    origin: readOrigin(input.origin),
    scopes: readScopes(input.scopes, context.namespace.capitalised),
    status: input.status ?? 'ACTIVE',
    createdAt: now,
    createdBy: context.actor.id,
    lastUpdatedAt: now,
    lastUpdatedBy: context.actor.id,
    revision: FIRST_REVISION,
  };
}

export const createTrustedOrigin = async (
  work: Work,
  context: Context,
  input: TrustedOriginInput,
): Promise<TrustedOrigin> => trustedOrigins.create(work, context, draft(context, input));
