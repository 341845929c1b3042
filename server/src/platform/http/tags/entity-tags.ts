import type { Version } from '../../../kernel/version.ts';
import { acceptedAlgorithms, ENTITY_TAG_ALGORITHMS, entityTag, matchesEntityTag } from './entity-tag.ts';

interface TaggedResource extends Version {
  readonly orgId: string;
}

export interface EntityTags {
  /** Returns the tag of the present revision: `W/"<64 hex>"`. */
  readonly current: (resource: TaggedResource) => string;
  /** Tells whether any of the opaque tags names the resource's present revision. */
  readonly accepts: (resource: TaggedResource, opaqueTags: readonly string[], now: Date) => boolean;
}

/** Creates the functions for entity tags. `emittedSince` contains the recorded time of each algorithm's first use. */
export function createEntityTags(emittedSince: Readonly<Record<string, Date>>, now: Date): EntityTags {
  const [algorithm = ENTITY_TAG_ALGORITHMS[0] ?? 'v1'] = acceptedAlgorithms({ emittedSince, now });
  return {
    current: (resource) => entityTag({ ...resource, algorithm }),
    accepts: (resource, opaqueTags, instant) =>
      matchesEntityTag({
        ...resource,
        condition: opaqueTags,
        algorithms: acceptedAlgorithms({ emittedSince, now: instant }),
      }),
  };
}
