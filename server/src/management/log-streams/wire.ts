import { createHash } from 'node:crypto';
import type { Context } from '../../kernel/context.ts';
import { wireDate } from '../../kernel/texts/dates.ts';
import type { Version } from '../../kernel/version.ts';
import { changeTarget, type JsonObject, type Target } from '../../system-log/index.ts';
import { logStreamLifecycle } from './lifecycle.ts';
import { loggedSettings } from './settings/settings-rules.ts';
import type { LogStreamSettings } from './settings/stream-types-rules.ts';
import type { LogStream } from './store.ts';

function linksOf(stream: LogStream, baseUrl: string): Record<string, unknown> {
  const address = `${baseUrl}/api/v1/logStreams/${stream.id}`;
  const links: Record<string, unknown> = { self: { href: address, method: 'GET' } };
  for (const action of logStreamLifecycle.linkedFrom(stream.status)) {
    if (action !== 'delete') links[action] = { href: `${address}/lifecycle/${action}`, method: 'POST' };
  }
  return links;
}

export function wireSettings({ type: _type, ...settings }: LogStreamSettings): Record<string, unknown> {
  return settings;
}

export const wireLogStream = (stream: LogStream, { baseUrl }: Context): Record<string, unknown> => ({
  id: stream.id,
  type: stream.type,
  name: stream.name,
  lastUpdated: wireDate(stream.lastUpdatedAt),
  created: wireDate(stream.createdAt),
  status: stream.status,
  settings: wireSettings(stream.settings),
  _links: linksOf(stream, baseUrl),
});

export const logStreamVersion = ({ id, revision }: LogStream): Version => ({ kind: 'logStream', id, revision });

export const logStreamTarget = ({ id, name }: Pick<LogStream, 'id' | 'name'>): Target => ({
  id,
  type: 'LogStream',
  displayName: name,
});

/** Shows that a secret was replaced, without revealing the secret. */
const markOf = (sealedSecret: Buffer): string =>
  `(set ${createHash('sha256').update(sealedSecret).digest('hex').slice(0, 8)})`;

export const logStreamChange = changeTarget(
  logStreamTarget,
  ({ name, sealedSecret, settings, status }: LogStream): JsonObject => ({
    name,
    status,
    ...loggedSettings(settings),
    ...(sealedSecret === null ? {} : { secret: markOf(sealedSecret) }),
  }),
);
