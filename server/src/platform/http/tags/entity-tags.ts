import type { Version } from '../../../kernel/version.ts';
import { acceptedAlgorithms, ENTITY_TAG_ALGORITHMS, entityTag, matchesEntityTag } from './entity-tag.ts';

interface TaggedResource extends Version {
  readonly orgId: string;
}

export interface EntityTags {
  readonly current: (resource: TaggedResource) => string;
  readonly accepts: (resource: TaggedResource, opaqueTags: readonly string[], now: Date) => boolean;
}

export function createEntityTags(emittedSince: Readonly<Record<string, Date>>, now: Date): EntityTags {
  const [algorithm = ENTITY_TAG_ALGORITHMS[0] ?? 'v1'] = acceptedAlgorithms({ emittedSince, now });
  return {
    current: ({ id, kind, orgId, revision }) => entityTag({ algorithm, orgId, kind, id, revision }),
    accepts: (resource, opaqueTags, instant) =>
      matchesEntityTag({
        ...resource,
        condition: opaqueTags,
        algorithms: acceptedAlgorithms({ emittedSince, now: instant }),
      }),
  };
}
