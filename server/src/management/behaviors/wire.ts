import type { Context } from '../../kernel/context.ts';
import { linkTo } from '../../kernel/errors/hints.ts';
import { wireDate } from '../../kernel/texts/dates.ts';
import type { Version } from '../../kernel/version.ts';
import { changeTarget, type Target, toldDocument } from '../../system-log/index.ts';
import { behaviorLifecycle } from './lifecycle.ts';
import type { Behavior } from './store.ts';

/** Writes a date in the special form of this resource (contract section 2), to the second and without a time zone. */
const behaviorDate = (date: Date): string => `${wireDate(date).slice(0, 19).replace('T', ' ')}.0`;

export function wireBehavior(behavior: Behavior, context: Context): Record<string, unknown> {
  const address = `${context.baseUrl}/api/v1/behaviors/${behavior.id}`;
  const links: Record<string, unknown> = { self: linkTo(address, '/api/v1/behaviors/:behaviorId') };
  for (const action of behaviorLifecycle.linkedFrom(behavior.status)) {
    links[action] = { href: `${address}/lifecycle/${action}`, hints: { allow: ['POST'] } };
  }
  return {
    id: behavior.id,
    name: behavior.name,
    status: behavior.status,
    settings: behavior.settings,
    type: behavior.type,
    created: behaviorDate(behavior.createdAt),
    lastUpdated: behaviorDate(behavior.lastUpdatedAt),
    _links: links,
  };
}

export const behaviorVersion = ({ id, revision }: Behavior): Version => ({ kind: 'behavior', id, revision });

const behaviorTarget = ({ id, name, type }: Behavior): Target => ({
  id,
  type: 'Behavior',
  alternateId: type,
  displayName: name,
});

export const behaviorChange = changeTarget(behaviorTarget, ({ name, settings, status }) => ({
  name,
  status,
  settings: toldDocument(settings),
}));
