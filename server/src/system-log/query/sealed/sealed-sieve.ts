import { type CheckedLeaf, mapLeaves, matches } from '../../../filter/index.ts';
import type { OrgId } from '../../../kernel/words/ids.ts';
import type { EventKind, KeptFacts } from '../../ledger/segments/head.ts';
import type { OrdinalSet } from '../../ledger/segments/postings/ordinal-set.ts';
import { foldWord, wordToken } from '../../rendering/terms/search-terms.ts';
import { fieldPath } from '../query-fields.ts';
import type { LogQuery } from '../query-parameters.ts';
import { recheckOf } from '../query-recheck.ts';
import { type TermCondition, termConditionOf } from '../query-terms.ts';

/** The parts of a sealed event that decide whether a filter matches it. */
export interface SieveSubject {
  readonly body: string;
  readonly kind: EventKind;
  readonly kept: KeptFacts | null;
}

/** Decides which sealed events match a query: search terms narrow the candidates, and `accepts` decides. */
export interface SealedSieve {
  readonly condition: TermCondition | null;
  /** This is null if each event matches. */
  readonly accepts: ((subject: SieveSubject) => boolean) | null;
}

export function termsOf(condition: TermCondition): number[] {
  if ('term' in condition) return [condition.term];
  return ('all' in condition ? condition.all : condition.any).flatMap(termsOf);
}

/** Returns the events that have the search terms of a condition. */
export function ordinalsOf(condition: TermCondition, lookUp: (term: number) => OrdinalSet): OrdinalSet {
  if ('term' in condition) return lookUp(condition.term);
  const sets = ('all' in condition ? condition.all : condition.any).map((part) => ordinalsOf(part, lookUp));
  return sets.reduce((one, other) => ('all' in condition ? one.and(other) : one.or(other)));
}

const own = (object: unknown, name: string): unknown =>
  typeof object === 'object' && object !== null && Object.hasOwn(object, name) ? Reflect.get(object, name) : undefined;

const at = (object: unknown, path: readonly string[]): unknown => path.reduce(own, object);

/** Strings, numbers and booleans of an attribute of text are compared as text, as in SQL. Other values are absent. */
const asText = (value: unknown): unknown =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;

/** The attributes that a segment stores as the kind of an event, by their paths. */
const OF_KIND: Readonly<Record<string, (kind: EventKind) => string | null>> = {
  eventType: ({ eventType }) => eventType,
  severity: ({ severity }) => severity,
  'outcome.result': ({ outcomeResult }) => outcomeResult,
};

/** An event that is parsed once a filter needs more than its kind. An erased event has only the facts that are kept. */
class SievedEvent {
  readonly kind: EventKind;
  readonly #subject: SieveSubject;
  #content: unknown;

  constructor(subject: SieveSubject) {
    this.kind = subject.kind;
    this.#subject = subject;
  }

  get content(): unknown {
    this.#content ??= this.#parsed();
    return this.#content;
  }

  #parsed(): unknown {
    const { body, kept } = this.#subject;
    const event: unknown = JSON.parse(body);
    if (kept === null) return event;
    return { ...Object(event), actor: { id: '' }, transaction: { id: '' }, uuid: kept.uuid };
  }
}

/** Makes a leaf read its value as SQL does: by path, with a key of an open object as one name. */
function placed(leaf: CheckedLeaf): CheckedLeaf {
  const { array, path } = fieldPath(leaf.field);
  const isText = leaf.field.type === 'string';
  const ofKind = array === null ? OF_KIND[path.join('.')] : undefined;
  const value = (event: unknown): unknown => {
    if (!(event instanceof SievedEvent)) throw new TypeError('a filter was applied to something else than an event');
    if (ofKind !== undefined) return ofKind(event.kind);
    const found = array === null ? [event.content] : at(event.content, array);
    const values = (Array.isArray(found) ? found : []).map((element: unknown) => at(element, path));
    const told = isText ? values.map(asText) : values;
    return array === null ? told[0] : told;
  };
  return { ...leaf, field: { ...leaf.field, value } };
}

export function sealedSieveOf(orgId: OrgId, { filter, keywords }: LogQuery): SealedSieve {
  const words = keywords.map((keyword): TermCondition => ({ term: wordToken(orgId, foldWord(keyword)) }));
  const narrowed = filter === null ? null : termConditionOf(orgId, filter);
  const all = narrowed === null ? words : [...words, narrowed];
  const condition = all.length === 0 ? null : { all };
  const hasKeywords = recheckOf(keywords, []);
  const expression = filter === null ? null : mapLeaves(filter, placed);
  if (hasKeywords === null && expression === null) return { condition, accepts: null };
  return {
    condition,
    accepts: (subject) =>
      hasKeywords?.(subject.body) !== false && (expression === null || matches(expression, new SievedEvent(subject))),
  };
}
