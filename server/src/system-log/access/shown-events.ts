import { type AttributeSight, attributeSight, type Looker } from '../../access/index.ts';
import type { FieldTable } from '../../filter/index.ts';
import { keywordPattern } from '../query/keyword-pattern.ts';
import { LOG_FIELDS } from '../query/query-fields.ts';
import type { Json, JsonObject } from '../write/event.ts';

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Replaces every value with null, so that nobody can tell which values were absent. */
const namesOf = (values: Json | undefined): Json =>
  isObject(values) ? Object.fromEntries(Object.keys(values).map((name) => [name, null])) : null;

function shownTarget(target: Json): Json {
  if (!isObject(target)) return target;
  const { changeDetails, detailEntry } = target;
  return {
    ...target,
    ...(isObject(detailEntry) && 'claims' in detailEntry
      ? { detailEntry: { ...detailEntry, claims: namesOf(detailEntry['claims']) } }
      : {}),
    ...(isObject(changeDetails)
      ? { changeDetails: { from: namesOf(changeDetails['from']), to: namesOf(changeDetails['to']) } }
      : {}),
  };
}

const withoutSearch = (address: string): string => address.replaceAll(/([?&](?:search|filter|q)=)[^&]+/gi, '$1...');
const HIDDEN = '...';

/**
 * Functions that hide the search texts in debug data, by the name of the member. Search texts can reveal personal data.
 */
const SEARCHES: ReadonlyMap<string, (value: string) => string> = new Map([
  ['url', withoutSearch],
  ['filter', () => HIDDEN],
  ['q', () => HIDDEN],
]);

function shownContext(debugContext: JsonObject): JsonObject {
  const { debugData } = debugContext;
  if (!isObject(debugData)) return debugContext;
  const shown = Object.entries(debugData).map(([name, value]) => {
    const hide = SEARCHES.get(name);
    return [name, hide === undefined || typeof value !== 'string' ? value : hide(value)] as const;
  });
  return { ...debugContext, debugData: Object.fromEntries(shown) };
}

/** Removes search texts and the values of attributes and claims, but keeps the names of both (ADR 0050). */
export function withoutValues(body: string): string {
  const event = JSON.parse(body) as Json;
  if (!isObject(event)) return body;
  const { debugContext, target } = event;
  return JSON.stringify({
    ...event,
    ...(Array.isArray(target) ? { target: target.map(shownTarget) } : {}),
    ...(isObject(debugContext) ? { debugContext: shownContext(debugContext) } : {}),
  });
}

const seesAll = (sight: AttributeSight): boolean => sight.reach === 'whole';

const UNASKED: ReadonlySet<string> = new Set([...SEARCHES.keys()].map((name) => `debugContext.debugData.${name}`));

/** Callers from whom search texts are hidden cannot filter by them either. */
const SHOWN_FIELDS: FieldTable = {
  ...LOG_FIELDS,
  resolve: (name) => (UNASKED.has(name) ? undefined : LOG_FIELDS.resolve?.(name)),
};

export const fieldsShownTo = (looker: Looker): FieldTable =>
  seesAll(attributeSight(looker)) ? LOG_FIELDS : SHOWN_FIELDS;

/**
 * Hides search texts, and the values of attributes and claims, from callers who may not see all attributes. Leaves out
 * the events in which a keyword of the query occurs only in a hidden value.
 */
export function bodiesShownTo(
  looker: Looker,
  bodies: readonly string[],
  keywords: readonly string[],
): readonly string[] {
  if (seesAll(attributeSight(looker))) return bodies;
  const patterns = keywords.map(keywordPattern);
  return bodies.map(withoutValues).filter((body) => patterns.every((pattern) => pattern.test(body)));
}
