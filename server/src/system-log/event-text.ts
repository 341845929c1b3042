import { LRUCache } from 'lru-cache';
import type { Context } from '../kernel/context.ts';
import type { OrgId } from '../kernel/ids.ts';
import { cleaned, type JsonObject, MAXIMUM_STRING_LENGTH, type NewEvent, severityOf } from './event.ts';
import {
  displayMessageOf,
  factsOf,
  kindMembers,
  ownMembers,
  type Places,
  requesterMembers,
  requesterOf,
} from './event-parts.ts';
import { mergedTokens, sortedTokens } from './tokens.ts';

export interface EventText {
  /** The event as JSON: what is stored, digested and served. */
  readonly text: string;
  /** Tokens of all of it, in rising order, each once. */
  readonly tokens: Int32Array;
}

/** Some members of an event, as text without braces. */
interface Part {
  readonly text: string;
  readonly tokens: Int32Array;
}

/** What is kept of a requester: two kilobytes and a half. */
interface RequesterParts {
  readonly texts: readonly [actor: string, client: string, proof: string, origin: string];
  readonly tokens: Int32Array;
}

const MAXIMUM_REQUESTERS = 2_000;
const MAXIMUM_KINDS = 1_000;

/** Where a string may be that is stored otherwise than it came; `\u` is how JSON writes a lone surrogate or U+0000. */
const NEEDS_A_LOOK = /\\u|[\ud800-\udfff]/;

function partOf(orgId: OrgId, given: JsonObject): Part {
  const text = JSON.stringify(given);
  // A text that is no longer than a string may be has none that is longer.
  if (text.length <= MAXIMUM_STRING_LENGTH && !NEEDS_A_LOOK.test(text)) {
    return { text: text.slice(1, -1), tokens: sortedTokens(orgId, given) };
  }
  const members = cleaned(given) as JsonObject;
  return { text: JSON.stringify(members).slice(1, -1), tokens: sortedTokens(orgId, members) };
}

/** Each fact behind its length, so that no two lists of facts give the same key. */
function keyOf(orgId: OrgId, facts: readonly (string | null)[]): string {
  let key: string = orgId;
  for (const fact of facts) key += fact === null ? ' -' : ` ${fact.length}:${fact}`;
  return key;
}

function requesterWriter(places: Places): (context: Context, event: NewEvent) => RequesterParts {
  const known = new LRUCache<string, RequesterParts>({ max: MAXIMUM_REQUESTERS });
  return (context, event) => {
    const { orgId } = context;
    const requester = requesterOf(context, event);
    const key = keyOf(orgId, factsOf(requester));
    const earlier = known.get(key);
    if (earlier !== undefined) return earlier;
    const told = requesterMembers(requester, places);
    const actor = partOf(orgId, told.actor);
    const client = partOf(orgId, told.client);
    const proof = partOf(orgId, told.proof);
    const origin = partOf(orgId, told.origin);
    const made: RequesterParts = {
      texts: [actor.text, client.text, proof.text, origin.text],
      tokens: mergedTokens([actor.tokens, client.tokens, proof.tokens, origin.tokens]),
    };
    known.set(key, made);
    return made;
  };
}

function kindWriter(): (context: Context, event: NewEvent) => Part {
  const known = new LRUCache<string, Part>({ max: MAXIMUM_KINDS });
  return (context, event) => {
    const { eventNames, orgId } = context;
    const key = keyOf(orgId, [eventNames, event.eventType, severityOf(event), displayMessageOf(event)]);
    const earlier = known.get(key);
    if (earlier !== undefined) return earlier;
    const made = partOf(orgId, kindMembers(context, event));
    known.set(key, made);
    return made;
  };
}

/**
 * Writes events as they are served for ever: every known field, null where nothing is known (specification 2.5). What
 * is told of a requester, or of a type, is kept from one event to the next.
 */
export function createEventWriter(places: Places): (context: Context, event: NewEvent, uuid: string) => EventText {
  const requesterPartsOf = requesterWriter(places);
  const kindPartOf = kindWriter();
  return (context, event, uuid) => {
    const { orgId } = context;
    const requester = requesterPartsOf(context, event);
    const kind = kindPartOf(context, event);
    const head = partOf(orgId, { uuid, published: context.now.toISOString() });
    const own = partOf(orgId, ownMembers(context, event));
    const [actor, client, proof, origin] = requester.texts;
    return {
      text: `{${head.text},${kind.text},${actor},${client},${proof},${own.text},${origin}}`,
      tokens: mergedTokens([requester.tokens, kind.tokens, head.tokens, own.tokens]),
    };
  };
}
