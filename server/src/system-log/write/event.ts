import type { Actor, Context } from '../../kernel/context.ts';
import type { Severity } from './event-kinds.ts';
import { type EventType, eventDefinition } from './events.ts';

export const OUTCOME_RESULTS = [
  'SUCCESS',
  'FAILURE',
  'SKIPPED',
  'ALLOW',
  'DENY',
  'CHALLENGE',
  'UNKNOWN',
  'RATE_LIMIT',
  'DEFERRED',
  'SCHEDULED',
  'ABANDONED',
  'UNANSWERED',
] as const;
export type OutcomeResult = (typeof OUTCOME_RESULTS)[number];

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

export interface Outcome {
  readonly result: OutcomeResult;
  /** Only the first 255 characters are recorded. */
  readonly reason?: string | null;
}

/** The object of an event. The caller must mask secrets in `changeDetails`, the values before and after the change. */
export interface Target {
  readonly id: string;
  readonly type: string;
  readonly alternateId?: string | null;
  readonly displayName?: string | null;
  readonly detailEntry?: JsonObject | null;
  readonly changeDetails?: { readonly from: JsonObject; readonly to: JsonObject };
}

/** The authentication of the actor. In the first three members, `{WORD}` stands for the namespace word in capitals. */
export interface Authentication {
  readonly authenticationProvider?: string | null;
  readonly credentialProvider?: string | null;
  readonly credentialType?: string | null;
  /** The issuer of the OAuth token with which the actor authenticated. */
  readonly issuer?: { readonly id: string; readonly type: string | null } | null;
  readonly externalSessionId?: string | null;
  readonly rootSessionId?: string | null;
  readonly interface?: string | null;
}

/** The part of an event that a use case supplies. */
export interface NewEvent {
  readonly eventType: EventType;
  readonly target?: readonly Target[];
  /** The default is SUCCESS. */
  readonly outcome?: Outcome;
  /** The default is the context's actor. */
  readonly actor?: Actor;
  readonly authentication?: Authentication;
  readonly debugData?: Readonly<Record<string, string>>;
  readonly severity?: Severity;
  readonly displayMessage?: string;
}

/** Longer strings in an event are cut, because a hostile header must not make the event too large to store. */
export const MAXIMUM_STRING_LENGTH = 4_096;

/** Any surrogate, lone or not, or U+0000. Few strings contain one, so the expensive replacements rarely run. */
const SUSPICIOUS = /[\0\ud800-\udfff]/;

/** Cuts a string to the maximum length. Replaces U+0000 and lone surrogates, which cannot be stored, with U+FFFD. */
export function storable(text: string): string {
  const cut = text.length > MAXIMUM_STRING_LENGTH ? text.slice(0, MAXIMUM_STRING_LENGTH) : text;
  if (!SUSPICIOUS.test(cut)) return cut;
  return cut.replace(/\p{Surrogate}/gu, '\uFFFD').replaceAll('\0', '\uFFFD');
}

const OWN_MEMBER = { configurable: true, enumerable: true, writable: true } as const;

/** Applies `storable` to every string and every name in a value. */
export function cleaned(value: Json): Json {
  if (typeof value === 'string') return storable(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => cleaned(item));
  const copy: Record<string, Json> = {};
  for (const [name, item] of Object.entries(value)) {
    const key = storable(name);
    // Assignment to this name would set the prototype instead of a member.
    if (key === '__proto__') Object.defineProperty(copy, key, { ...OWN_MEMBER, value: cleaned(item) });
    else copy[key] = cleaned(item);
  }
  return copy;
}

export const severityOf = (event: NewEvent): Severity => event.severity ?? eventDefinition(event.eventType).severity;

/**
 * Returns the name under which an event is recorded, and its legacy name. If today's catalogue has another name for the
 * event, the legacy name is the one that the org did not choose.
 */
export function namesOf(
  { eventNames }: Context,
  eventType: EventType,
): { eventType: string; legacyEventType: string | null } {
  const { currentEventType, legacyEventType } = eventDefinition(eventType);
  if (currentEventType === null) return { eventType, legacyEventType };
  return eventNames === 'current'
    ? { eventType: currentEventType, legacyEventType: eventType }
    : { eventType, legacyEventType: currentEventType };
}
