import type { Context } from '../../../kernel/context.ts';
import { invalid } from '../../../kernel/errors/errors.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import type { Work } from '../../../system-log/index.ts';
import { providers } from '../resource.ts';

/** Returns the name of a policy rule that uses a provider, or null if there is none. */
export type ProviderUsedBy = (tx: Tx, context: Context, id: string) => Promise<string | null>;

/**
 * A provider that a policy rule names cannot be deleted, because a routing rule would otherwise send users of the
 * provider elsewhere without notice.
 */
export const deleteProvider = (work: Work, context: Context, id: string, usedBy: ProviderUsedBy): Promise<void> =>
  providers.delete(work, context, id, async (_provider, tx) => {
    const rule = await usedBy(tx, context, id);
    if (rule !== null) throw invalid('id', `The policy rule ${rule} uses the identity provider.`);
  });
