import type { Context } from '../../kernel/context.ts';
import { wireDate } from '../../kernel/texts/dates.ts';
import type { Version } from '../../kernel/version.ts';
import { changeTarget, type Target, toldDocument } from '../../system-log/index.ts';
import type { Embedded } from './lists/embedded.ts';
import type { GroupOwner } from './owners/owner-store.ts';
import type { GroupRow } from './records/group-row.ts';
import { wireType } from './rules.ts';

/** Renders a group (contract section 5). */
export function wireGroup(group: GroupRow, context: Context, embedded?: Embedded): Record<string, unknown> {
  const address = `${context.baseUrl}/api/v1/groups/${group.id}`;
  const source =
    group.sourceId === null ? {} : { source: { href: `${context.baseUrl}/api/v1/apps/${group.sourceId}` } };
  return {
    id: group.id,
    created: wireDate(group.createdAt),
    lastUpdated: wireDate(group.lastUpdatedAt),
    lastMembershipUpdated: wireDate(group.lastMembershipUpdatedAt),
    objectClass: [`${context.namespace.word}:user_group`],
    type: wireType(group.type, context.namespace),
    profile: { ...group.profile, description: group.profile['description'] ?? null },
    _links: {
      logo: [],
      owners: { href: `${address}/owners` },
      users: { href: `${address}/users` },
      apps: { href: `${address}/apps` },
      ...source,
    },
    ...(embedded === undefined ? {} : { _embedded: embedded }),
  };
}

/** Renders only the id and the link of a member whom the caller may not see. */
export const wireUnseen = ({ id }: { readonly id: string }, { baseUrl }: Context): Record<string, unknown> => ({
  id,
  _links: { self: { href: `${baseUrl}/api/v1/users/${id}` } },
});

/**
 * Renders an owner. Recorded responses have dates in other formats; this function uses the format of specification
 * 4.1.3.
 */
export const wireOwner = (owner: GroupOwner, context: Context): Record<string, unknown> => ({
  id: owner.id,
  type: owner.type,
  resolved: true,
  originId: null,
  originType: `${context.namespace.upper}_DIRECTORY`,
  displayName: owner.displayName,
  lastUpdated: wireDate(owner.assignedAt),
});

export const groupVersion = ({ id, revision }: GroupRow): Version => ({ kind: 'group', id, revision });

export const groupTarget = (group: Pick<GroupRow, 'id' | 'profile'>): Target => ({
  id: group.id,
  type: 'UserGroup',
  alternateId: 'unknown',
  displayName: group.profile.name,
});

export const groupChange = changeTarget(groupTarget, ({ profile }: GroupRow) => ({ profile: toldDocument(profile) }));
