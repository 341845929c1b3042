import { hash } from 'node:crypto';

/** The algorithms, oldest first. A new one is added a release before its use, so that its tags survive a rollback. */
export const ENTITY_TAG_ALGORITHMS: readonly string[] = ['v1'];

const OVERLAP_MILLISECONDS = 7 * 24 * 60 * 60 * 1_000;
const MAXIMUM_HEADER_LENGTH = 8_192;
const MAXIMUM_TAGS = 100;

export interface EntityTagInput {
  readonly algorithm: string;
  readonly orgId: string;
  readonly kind: string;
  readonly id: string;
  readonly revision: number | bigint | string;
}

const prefixed = (field: string): string => `${Buffer.byteLength(field)}:${field}`;

function opaqueTag({ algorithm, id, kind, orgId, revision }: EntityTagInput): string {
  const resource = prefixed(orgId) + prefixed(kind) + prefixed(id) + prefixed(String(revision));
  return hash('sha256', prefixed(algorithm) + resource, 'hex');
}

/** Makes the tag `W/"<64 hex>"` (specification 2.10). */
export const entityTag = (input: EntityTagInput): string => `W/"${opaqueTag(input)}"`;

export type IfMatch = 'any' | string[] | 'invalid';

const MEMBER = /[ \t]*(?:(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y;

/** Reads `If-Match` (RFC 9110 13.1.1). Weak tags count, because ours are weak and no strong comparison would match. */
export function parseIfMatch(header: string): IfMatch {
  if (header.length > MAXIMUM_HEADER_LENGTH) return 'invalid';
  const text = header.trim();
  if (text === '*') return 'any';
  const tags: string[] = [];
  for (let position = 0; position < text.length; position = MEMBER.lastIndex) {
    MEMBER.lastIndex = position;
    const match = MEMBER.exec(text);
    if (match === null) return 'invalid';
    if (match[1] !== undefined) tags.push(match[1]);
  }
  return tags.length === 0 || tags.length > MAXIMUM_TAGS ? 'invalid' : tags;
}

export interface EntityTagMatch extends Omit<EntityTagInput, 'algorithm'> {
  readonly condition: 'any' | readonly string[];
  readonly algorithms: readonly string[];
}

/** The caller must have locked the row. */
export function matchesEntityTag(match: EntityTagMatch): boolean {
  const { condition, algorithms, ...input } = match;
  return condition === 'any' || algorithms.some((algorithm) => condition.includes(opaqueTag({ ...input, algorithm })));
}

export interface AcceptedAlgorithmsInput {
  /** The recorded time of each algorithm's first use. */
  readonly emittedSince: Readonly<Record<string, Date>>;
  readonly now: Date;
  readonly algorithms?: readonly string[];
}

/**
 * Returns the algorithms whose tags are valid now, starting with the algorithm for new tags. Older algorithms are
 * accepted until seven days after their successor was first emitted (specification 8).
 */
export function acceptedAlgorithms(input: AcceptedAlgorithmsInput): string[] {
  const { algorithms = ENTITY_TAG_ALGORITHMS, now } = input;
  const since = (algorithm: string): Date | undefined =>
    Object.hasOwn(input.emittedSince, algorithm) ? input.emittedSince[algorithm] : undefined;
  const emitted = Math.max(
    0,
    algorithms.findLastIndex((algorithm) => since(algorithm) !== undefined),
  );
  const holds = (index: number): boolean => {
    const successor = algorithms.slice(index + 1, emitted + 1).find((algorithm) => since(algorithm) !== undefined);
    const start = successor === undefined ? undefined : since(successor);
    return start === undefined || now.getTime() < start.getTime() + OVERLAP_MILLISECONDS;
  };
  const others = algorithms.filter((_, index) => index !== emitted && holds(index));
  return [...algorithms.slice(emitted, emitted + 1), ...others];
}
