import { isResourceKind } from '../../access/index.ts';
import type { Context } from '../../kernel/context.ts';
import { wireDate } from '../../kernel/texts/dates.ts';
import type { Version } from '../../kernel/version.ts';
import type { ResourceName } from '../../kernel/words/held-role.ts';
import { changeTarget, type Target } from '../../system-log/index.ts';
import { namesOf } from './resources/resource-names.ts';
import type { SetResource } from './resources/resource-store.ts';
import type { ResourceSet } from './store.ts';

export const setAddress = (setId: string, { baseUrl }: Pick<Context, 'baseUrl'>): string =>
  `${baseUrl}/api/v1/iam/resource-sets/${setId}`;

export function wireResourceSet(set: ResourceSet, context: Context): Record<string, unknown> {
  const address = setAddress(set.id, context);
  return {
    id: set.id,
    label: set.label,
    description: set.description,
    created: wireDate(set.createdAt),
    lastUpdated: wireDate(set.lastUpdatedAt),
    _links: {
      self: { href: address },
      resources: { href: `${address}/resources` },
      bindings: { href: `${address}/bindings` },
    },
  };
}

const ornOf = ({ key, kind }: ResourceName, context: Context): string[] =>
  isResourceKind(kind) ? [namesOf({ kind, key: key ?? '' }, context).orn] : [];

const LISTED: Readonly<Record<string, string>> = { users: 'users', groupUsers: 'users', groups: 'groups' };

/** The kinds whose addresses are only names, because this server serves nothing there. */
const NAMES_ALONE: ReadonlySet<string> = new Set(['devices', 'iam', 'workflows']);

export function wireResource(setId: string, resource: SetResource, context: Context): Record<string, unknown> {
  const { address, orn } = namesOf(resource, context);
  const excluded = resource.excluded.flatMap((one) => ornOf(one, context));
  const listed = LISTED[resource.kind];
  return {
    id: resource.id,
    orn,
    ...(excluded.length === 0 ? {} : { conditions: { Exclude: { [`${context.namespace.word}:ORN`]: excluded } } }),
    created: wireDate(resource.createdAt),
    lastUpdated: wireDate(resource.lastUpdatedAt),
    _links: {
      ...(NAMES_ALONE.has(resource.kind) ? {} : { self: { href: address } }),
      resource: { href: `${setAddress(setId, context)}/resources/${resource.id}` },
      ...(listed === undefined ? {} : { [listed]: { href: address } }),
    },
  };
}

export interface ToldSet {
  readonly set: ResourceSet;
  readonly resources: readonly SetResource[];
}

export const resourceSetVersion = ({ id, revision }: ResourceSet): Version => ({ kind: 'resourceSet', id, revision });
export const resourceVersion = ({ id, revision }: SetResource): Version => ({ kind: 'setResource', id, revision });

export const resourceSetTarget = ({ description, id, label }: ResourceSet): Target => ({
  id,
  type: 'ResourceSet',
  alternateId: label,
  displayName: description,
});

export const resourceSetChange = changeTarget(
  ({ set }: ToldSet, _context: Context) => resourceSetTarget(set),
  ({ resources, set }, context) => ({
    label: set.label,
    description: set.description,
    resources: resources.map((resource) => namesOf(resource, context).orn),
    excluded: resources.flatMap(({ excluded }) => excluded.flatMap((one) => ornOf(one, context))),
  }),
);
