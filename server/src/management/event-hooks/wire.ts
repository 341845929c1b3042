import { createHash } from 'node:crypto';
import type { Context } from '../../kernel/context.ts';
import { wireDate } from '../../kernel/texts/dates.ts';
import type { Version } from '../../kernel/version.ts';
import { changeTarget, type JsonObject, type Target } from '../../system-log/index.ts';
import { CHANNEL_VERSION, type HookChannel } from './documents/channel-rules.ts';
import { type Subscription, wireFilters } from './documents/subscription-rules.ts';
import { eventHookLifecycle } from './lifecycle.ts';
import type { EventHook } from './store.ts';

function linksOf(hook: EventHook, baseUrl: string): Record<string, unknown> {
  const address = `${baseUrl}/api/v1/eventHooks/${hook.id}`;
  const links: Record<string, unknown> = { self: { href: address } };
  for (const action of eventHookLifecycle.linkedFrom(hook.status)) {
    links[action] =
      action === 'delete'
        ? { href: address, hints: { allow: ['DELETE'] } }
        : { href: `${address}/lifecycle/${action}`, hints: { allow: ['POST'] } };
  }
  return links;
}

export function wireChannel({ authKey, headers, uri }: HookChannel): Record<string, unknown> {
  const authScheme = authKey === null ? {} : { authScheme: { type: 'HEADER', key: authKey } };
  return { type: 'HTTP', version: CHANNEL_VERSION, config: { uri, headers, method: 'POST', ...authScheme } };
}

export const wireSubscription = ({ filters, items }: Subscription): Record<string, unknown> => ({
  type: 'EVENT_TYPE',
  items,
  filter: wireFilters(filters),
});

export const wireEventHook = (hook: EventHook, { baseUrl }: Context): Record<string, unknown> => ({
  id: hook.id,
  status: hook.status,
  verificationStatus: hook.verificationStatus,
  name: hook.name,
  description: hook.description,
  created: wireDate(hook.createdAt),
  createdBy: hook.createdBy,
  lastUpdated: wireDate(hook.lastUpdatedAt),
  events: wireSubscription(hook.subscription),
  channel: wireChannel(hook.channel),
  _links: linksOf(hook, baseUrl),
});

export const eventHookVersion = ({ id, revision }: EventHook): Version => ({ kind: 'eventHook', id, revision });

export const eventHookTarget = ({ id, name }: Pick<EventHook, 'id' | 'name'>): Target => ({
  id,
  type: 'EventHook',
  displayName: name,
});

/** Shows that a secret was replaced, without revealing the secret. */
const markOf = (sealedSecret: Buffer): string =>
  `(set ${createHash('sha256').update(sealedSecret).digest('hex').slice(0, 8)})`;

/** The query of a URL often contains credentials, which the log must not show. */
const withoutQuery = (uri: string): string => (uri.includes('?') ? `${uri.slice(0, uri.indexOf('?'))}?...` : uri);

/** Header values may be credentials, so only the names of headers are shown. */
export const eventHookChange = changeTarget(eventHookTarget, (hook: EventHook): JsonObject => {
  const { channel, sealedSecret, subscription } = hook;
  return {
    name: hook.name,
    description: hook.description,
    status: hook.status,
    verificationStatus: hook.verificationStatus,
    events: [...subscription.items],
    filters: subscription.filters.map(({ event, expression }) => ({ event, expression })),
    uri: withoutQuery(channel.uri),
    headers: channel.headers.map(({ key }) => key),
    authHeader: channel.authKey,
    authValue: sealedSecret === null ? null : markOf(sealedSecret),
  };
});
