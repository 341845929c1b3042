import type { Context } from '../../../kernel/context.ts';
import { wholeSecond } from '../../../kernel/texts/dates.ts';
import type { Work } from '../../../system-log/index.ts';
import { type ProviderAction, providerLifecycle } from '../lifecycle.ts';
import { type Provider, updateProvider } from '../store.ts';
import { providerChange } from '../wire.ts';
import { lockProvider } from './lock-provider.ts';

/** Activates or deactivates; a provider in that status already stays as it is, without an event. 404 E0000007. */
export function changeProviderStatus(
  work: Work,
  context: Context,
  id: string,
  action: ProviderAction,
): Promise<Provider> {
  return work(context, async (tx, record) => {
    const before = await lockProvider(tx, context, id);
    if (!providerLifecycle.allows(before.status, action)) return before;
    const { to, event } = providerLifecycle.transition(action);
    const after = { ...before, status: to[0], lastUpdatedAt: wholeSecond(context.now), revision: before.revision + 1 };
    await updateProvider(tx, context.orgId, after);
    record({ eventType: event, target: [providerChange([before, after], context)] });
    return after;
  });
}
