import type { OrgId } from '../../kernel/words/ids.ts';
import { sizedCache } from '../../platform/caches/index.ts';
import type { JsonObject } from '../write/event.ts';
import type { KindLine, OwnLine, RequesterLine } from '../write/event-input.ts';
import { kindMembers, ownMembers, requesterMembers } from './event-members.ts';
import { mergedSearchTerms, unsortedSearchTerms } from './terms/search-terms.ts';

export interface RenderedEvent {
  /** The event as JSON, in the form that is stored and digested. */
  readonly text: string;
  /** The search terms of the whole event, in ascending order and without duplicates. */
  readonly tokens: Int32Array;
  readonly eventType: string;
  readonly severity: string;
  readonly actorId: string;
  readonly targetIds: readonly string[];
  readonly outcomeResult: string;
  readonly clientIpAddress: string | null;
  readonly transactionId: string;
}

/** A waiting event: its input (`write/event-input.ts`), and its UUID and time, which are not part of the input. */
export interface WaitingInput {
  readonly uuid: string;
  readonly published: Date;
  readonly input: string;
}

export type EventRenderer = (orgId: OrgId, waiting: WaitingInput) => RenderedEvent;

export class InputError extends Error {}

/** Some members of an event, as JSON without the outer braces, and their search terms. */
interface Part {
  readonly text: string;
  readonly tokens: Int32Array;
}

/** The members about a requester, with the columns that repeat parts of them. */
interface RequesterParts {
  readonly texts: readonly [actor: string, client: string, proof: string, origin: string];
  readonly tokens: Int32Array;
  readonly actorId: string;
  readonly clientIpAddress: string | null;
}

interface KindPart extends Part {
  readonly eventType: string;
  readonly severity: string;
}

/**
 * The maximum size of the cache of requesters, counted as characters of text plus bytes of search terms. Limiting the
 * number of entries would not limit memory, because a request that came through proxies may list hundreds of addresses.
 */
const MAXIMUM_SIZE_OF_REQUESTERS = 8_000_000;
const MAXIMUM_SIZE_OF_KINDS = 2_000_000;

const textOf = (members: JsonObject): string => JSON.stringify(members).slice(1, -1);

const partOf = (orgId: OrgId, members: JsonObject): Part => ({
  text: textOf(members),
  tokens: unsortedSearchTerms(orgId, members),
});

const sizeOfTokens = ({ tokens }: { readonly tokens: Int32Array }): number => 4 * tokens.length;

const sizeOfRequester = (parts: RequesterParts): number =>
  parts.texts.reduce((size, text) => size + text.length, sizeOfTokens(parts));

const sizeOfPart = (part: Part): number => part.text.length + sizeOfTokens(part);

function requesterRenderer(): (orgId: OrgId, line: string) => RequesterParts {
  const known = sizedCache<RequesterParts>(MAXIMUM_SIZE_OF_REQUESTERS, sizeOfRequester);
  return (orgId, line) => {
    const key = `${orgId} ${line}`;
    const earlier = known.get(key);
    if (earlier !== undefined) return earlier;
    const facts = JSON.parse(line) as RequesterLine;
    const members = requesterMembers(facts);
    const [actor, client, proof, origin] = [members.actor, members.client, members.proof, members.origin].map((part) =>
      partOf(orgId, part),
    ) as [Part, Part, Part, Part];
    const made: RequesterParts = {
      texts: [actor.text, client.text, proof.text, origin.text],
      tokens: mergedSearchTerms([actor.tokens, client.tokens, proof.tokens, origin.tokens]),
      actorId: facts[0],
      clientIpAddress: facts[18],
    };
    known.set(key, made);
    return made;
  };
}

function kindRenderer(): (orgId: OrgId, line: string) => KindPart {
  const known = sizedCache<KindPart>(MAXIMUM_SIZE_OF_KINDS, sizeOfPart);
  return (orgId, line) => {
    const key = `${orgId} ${line}`;
    const earlier = known.get(key);
    if (earlier !== undefined) return earlier;
    const facts = JSON.parse(line) as KindLine;
    const [eventType, severity] = facts;
    const made = { ...partOf(orgId, kindMembers(facts)), eventType, severity };
    known.set(key, made);
    return made;
  };
}

const distinctIds = (targets: OwnLine[2]): string[] =>
  targets === null ? [] : targets.length === 1 ? targets.map(([id]) => id) : [...new Set(targets.map(([id]) => id))];

function linesOf(input: string): [requester: string, kind: string, own: string] {
  const kindAt = input.indexOf('\n') + 1;
  const ownAt = input.indexOf('\n', kindAt) + 1;
  if (kindAt === 0 || ownAt === 0) throw new InputError('the input of the event is incomplete');
  return [input.slice(0, kindAt - 1), input.slice(kindAt, ownAt - 1), input.slice(ownAt)];
}

/**
 * The text depends on the waiting event alone. Documented fields without a known value are present (specification 2.5).
 */
export function createEventRenderer(): EventRenderer {
  const requesterPartsOf = requesterRenderer();
  const kindPartOf = kindRenderer();
  return (orgId, { input, published, uuid }) => {
    const [requesterLine, kindLine, ownLine] = linesOf(input);
    const requester = requesterPartsOf(orgId, requesterLine);
    const kind = kindPartOf(orgId, kindLine);
    const facts = JSON.parse(ownLine) as OwnLine;
    const head = { uuid, published: published.toISOString() };
    const own = ownMembers(facts);
    const [actor, client, proof, origin] = requester.texts;
    return {
      text: `{${textOf(head)},${kind.text},${actor},${client},${proof},${textOf(own)},${origin}}`,
      tokens: mergedSearchTerms([requester.tokens, kind.tokens], orgId, head, own),
      eventType: kind.eventType,
      severity: kind.severity,
      actorId: requester.actorId,
      clientIpAddress: requester.clientIpAddress,
      targetIds: distinctIds(facts[2]),
      outcomeResult: facts[0],
      transactionId: facts[4],
    };
  };
}
