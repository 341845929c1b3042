import type { Context } from '../../kernel/context.ts';
import type { OrgId } from '../../kernel/words/ids.ts';
import { sizedCache } from '../../platform/caches/index.ts';
import { mergedSearchTerms, unsortedSearchTerms } from '../relay/search-terms.ts';
import { cleaned, type JsonObject, MAXIMUM_STRING_LENGTH, type NewEvent, severityOf, type Target } from './event.ts';
import {
  displayMessageOf,
  factsOf,
  kindMembers,
  occasionMembers,
  outcomeMembers,
  type Places,
  requesterMembers,
  requesterOf,
  targetJson,
} from './event-parts.ts';

export interface EventText {
  /** The event as JSON, in the form that is stored, digested and served. */
  readonly text: string;
  /** The search terms of the whole event, in ascending order and without duplicates. */
  readonly tokens: Int32Array;
}

/** Some members of an event, as text without braces. */
interface Part {
  readonly text: string;
  readonly tokens: Int32Array;
}

/** The members about a requester as texts, with their search terms. */
interface RequesterParts {
  readonly texts: readonly [actor: string, client: string, proof: string, origin: string];
  readonly tokens: Int32Array;
}

/** Limits the cache of requesters, in characters and bytes. A request behind proxies may name hundreds of addresses. */
const MAXIMUM_SIZE_OF_REQUESTERS = 8_000_000;
const MAXIMUM_SIZE_OF_KINDS = 2_000_000;
/** Limits the cached target texts of a request. A bulk change has thousands of targets, each in only one event. */
const MAXIMUM_TARGETS = 100;

/** Matches strings that may be stored differently than received. JSON writes a lone surrogate or U+0000 with `\u`. */
const NEEDS_A_LOOK = /\\u|[\ud800-\udfff]/;

function partOf(orgId: OrgId, given: JsonObject): Part {
  const text = JSON.stringify(given);
  // If the whole text is within the limit for a string, so is every string in it.
  if (text.length <= MAXIMUM_STRING_LENGTH && !NEEDS_A_LOOK.test(text)) {
    return { text: text.slice(1, -1), tokens: unsortedSearchTerms(orgId, given) };
  }
  const members = cleaned(given) as JsonObject;
  return { text: JSON.stringify(members).slice(1, -1), tokens: unsortedSearchTerms(orgId, members) };
}

/** Makes a cache key. Each fact is preceded by its length, so that no two lists of facts have the same key. */
function keyOf(orgId: OrgId, facts: readonly (string | null)[]): string {
  let key: string = orgId;
  for (const fact of facts) key += fact === null ? ' -' : ` ${fact.length}:${fact}`;
  return key;
}

const sizeOfTokens = ({ tokens }: { readonly tokens: Int32Array }): number => 4 * tokens.length;

const sizeOfRequester = ({ texts, tokens }: RequesterParts): number =>
  texts.reduce((size, text) => size + text.length, sizeOfTokens({ tokens }));

const sizeOfPart = (part: Part): number => part.text.length + sizeOfTokens(part);

function requesterWriter(places: Places): (context: Context, event: NewEvent) => RequesterParts {
  const known = sizedCache<RequesterParts>(MAXIMUM_SIZE_OF_REQUESTERS, sizeOfRequester);
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
      tokens: mergedSearchTerms([actor.tokens, client.tokens, proof.tokens, origin.tokens]),
    };
    known.set(key, made);
    return made;
  };
}

function kindWriter(): (context: Context, event: NewEvent) => Part {
  const known = sizedCache<Part>(MAXIMUM_SIZE_OF_KINDS, sizeOfPart);
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

/** Caches the members that the events of one request share. An object that occurs again is not serialized again. */
class Occasion {
  readonly #context: Context;
  readonly #targets = new Map<Target, Part>();
  #debugData: NewEvent['debugData'];
  #part: Part | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  partOf({ debugData }: NewEvent): Part {
    if (this.#part !== undefined && this.#debugData === debugData) return this.#part;
    this.#debugData = debugData;
    this.#part = partOf(this.#context.orgId, occasionMembers(this.#context, debugData));
    return this.#part;
  }

  targetPartOf(target: Target): Part {
    const earlier = this.#targets.get(target);
    if (earlier !== undefined) return earlier;
    const { text, tokens } = partOf(this.#context.orgId, { target: targetJson(target) });
    const made = { text: text.slice('"target":'.length), tokens };
    if (this.#targets.size >= MAXIMUM_TARGETS) this.#targets.clear();
    this.#targets.set(target, made);
    return made;
  }
}

/** Makes a cache of the last request's members, because the events of one request are written in a row. */
function occasions(): (context: Context) => Occasion {
  let last: { readonly context: Context; readonly occasion: Occasion } | undefined;
  return (context) => {
    if (last?.context !== context) last = { context, occasion: new Occasion(context) };
    return last.occasion;
  };
}

/** Makes a writer of events. Every known field is present, with null if nothing is known (specification 2.5). */
export function createEventWriter(places: Places): (context: Context, event: NewEvent, uuid: string) => EventText {
  const requesterPartsOf = requesterWriter(places);
  const kindPartOf = kindWriter();
  const occasionOf = occasions();
  return (context, event, uuid) => {
    const { orgId } = context;
    const requester = requesterPartsOf(context, event);
    const kind = kindPartOf(context, event);
    const head = partOf(orgId, { uuid, published: context.now.toISOString() });
    const outcome = partOf(orgId, outcomeMembers(event));
    const occasion = occasionOf(context);
    const targets = (event.target ?? []).map((target) => occasion.targetPartOf(target));
    const own = occasion.partOf(event);
    const target = targets.length === 0 ? 'null' : `[${targets.map(({ text }) => text).join(',')}]`;
    const [actor, client, proof, origin] = requester.texts;
    const happened = `${outcome.text},"target":${target},${own.text}`;
    const parts = [requester, kind, head, outcome, own, ...targets];
    return {
      text: `{${head.text},${kind.text},${actor},${client},${proof},${happened},${origin}}`,
      tokens: mergedSearchTerms(parts.map(({ tokens }) => tokens)),
    };
  };
}
