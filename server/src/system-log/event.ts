import { isIP } from 'node:net';
import type { ClientContext } from '../kernel/client.ts';
import type { Actor, Context } from '../kernel/context.ts';
import type { Namespace } from '../kernel/namespace.ts';
import { type EventType, eventDefinition, type Severity } from './events.ts';
import { withoutSecrets } from './without-secrets.ts';

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
  /** At most 255 characters. */
  readonly reason?: string | null;
}

/** What an event happened to. `changeDetails` holds values before and after; the caller masks secrets. */
export interface Target {
  readonly id: string;
  readonly type: string;
  readonly alternateId?: string | null;
  readonly displayName?: string | null;
  readonly detailEntry?: JsonObject | null;
  readonly changeDetails?: { readonly from: JsonObject; readonly to: JsonObject };
}

/** How the actor was authenticated. `{WORD}` in a value stands for the namespace word in capitals. */
export interface Authentication {
  readonly authenticationProvider?: string | null;
  readonly credentialProvider?: string | null;
  readonly credentialType?: string | null;
  readonly externalSessionId?: string | null;
  readonly rootSessionId?: string | null;
  readonly interface?: string | null;
}

/** What a use case says of an event; everything else comes from the catalogue and the context. */
export interface NewEvent {
  readonly eventType: EventType;
  readonly target?: readonly Target[];
  /** SUCCESS unless said otherwise. */
  readonly outcome?: Outcome;
  /** The context's actor unless said otherwise (a sign-in names the user it is about). */
  readonly actor?: Actor;
  readonly authentication?: Authentication;
  readonly debugData?: Readonly<Record<string, string>>;
  readonly severity?: Severity;
  readonly displayMessage?: string;
}

/** Longer strings are cut: a hostile header must not make an event too large to store. */
export const MAXIMUM_STRING_LENGTH = 4_096;
const MAXIMUM_REASON_LENGTH = 255;

/** Any surrogate, lone or not, and U+0000: nearly no string has one, and a closer look costs more. */
const SUSPICIOUS = /[\0\ud800-\udfff]/;

/** U+0000 and lone surrogates can't be stored as text; they become U+FFFD. */
export function storable(text: string): string {
  const cut = text.length > MAXIMUM_STRING_LENGTH ? text.slice(0, MAXIMUM_STRING_LENGTH) : text;
  if (!SUSPICIOUS.test(cut)) return cut;
  return cut.replace(/\p{Surrogate}/gu, '\uFFFD').replaceAll('\0', '\uFFFD');
}

const OWN_MEMBER = { configurable: true, enumerable: true, writable: true } as const;

function cleaned(value: Json): Json {
  if (typeof value === 'string') return storable(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => cleaned(item));
  const copy: Record<string, Json> = {};
  for (const [name, item] of Object.entries(value)) {
    const key = storable(name);
    // Assignment to this one name would set the prototype instead of a member.
    if (key === '__proto__') Object.defineProperty(copy, key, { ...OWN_MEMBER, value: cleaned(item) });
    else copy[key] = cleaned(item);
  }
  return copy;
}

const clientOf = (client: ClientContext, isRequest: boolean): JsonObject => ({
  userAgent: isRequest
    ? { rawUserAgent: client.userAgent.rawUserAgent, os: client.userAgent.os, browser: client.userAgent.browser }
    : null,
  // Clients expect the word, not the value, when no zone matched (contract section 9).
  zone: 'null',
  device: isRequest ? client.device : null,
  id: null,
  ipAddress: client.ipAddress,
  geographicalContext: null,
});

const ipEntry = (ip: string): JsonObject => ({
  ip,
  geographicalContext: null,
  version: isIP(ip) === 6 ? 'V6' : 'V4',
  source: null,
  ipDetails: null,
});

function authenticationOf(authentication: Authentication, namespace: Namespace): JsonObject {
  const worded = (value: string | null | undefined): string | null =>
    value?.replaceAll('{WORD}', namespace.upper) ?? null;
  return {
    authenticationProvider: worded(authentication.authenticationProvider),
    credentialProvider: worded(authentication.credentialProvider),
    credentialType: worded(authentication.credentialType),
    issuer: null,
    externalSessionId: authentication.externalSessionId ?? null,
    interface: authentication.interface ?? null,
    authenticationStep: 0,
    rootSessionId: authentication.rootSessionId ?? null,
  };
}

/** What a session's user does is told apart by session (specification 2.5). */
const sessionOf = ({ principal }: Context): Authentication =>
  principal.kind === 'session'
    ? { externalSessionId: principal.externalSessionId, rootSessionId: principal.rootSessionId }
    : {};

function targetOf(target: Target): JsonObject {
  const wire = {
    id: target.id,
    type: target.type,
    alternateId: target.alternateId ?? null,
    displayName: target.displayName ?? null,
    detailEntry: target.detailEntry ?? null,
  };
  return target.changeDetails === undefined
    ? { ...wire, changeDetails: null }
    : { ...wire, changeDetails: { from: target.changeDetails.from, to: target.changeDetails.to } };
}

const ADDRESSES = ['requestUri', 'url'] as const;

/** Values are strings, as clients expect. Address data stands in every event that a request caused. */
function debugDataOf(context: Context, own: Readonly<Record<string, string>>): JsonObject {
  const request: Record<string, Json> = { requestId: context.requestId };
  if (context.client.deviceFingerprint !== null) request['deviceFingerprint'] = context.client.deviceFingerprint;
  if (context.requestUri !== null) request['requestUri'] = context.requestUri;
  if (context.url !== null) request['url'] = context.url;
  const told = { ...request, ...own };
  for (const name of ADDRESSES) if (typeof told[name] === 'string') told[name] = withoutSecrets(told[name]);
  return told;
}

export const severityOf = (event: NewEvent): Severity => event.severity ?? eventDefinition(event.eventType).severity;

/** The name an event is emitted under, and the other one that it is known by. */
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

/** The event as it is served for ever: every known field, null where nothing is known (specification 2.5). */
export function buildEvent(context: Context, event: NewEvent, uuid: string): JsonObject {
  const definition = eventDefinition(event.eventType);
  const names = namesOf(context, event.eventType);
  const actor = event.actor ?? context.actor;
  const detail: JsonObject =
    context.principal.kind === 'apiToken' || context.principal.kind === 'oauthClient'
      ? { requestApiTokenId: context.principal.tokenId }
      : {};
  const reason = event.outcome?.reason ?? null;
  const wire: JsonObject = {
    uuid,
    published: context.now.toISOString(),
    eventType: names.eventType,
    version: '0',
    severity: severityOf(event),
    legacyEventType: names.legacyEventType,
    displayMessage: event.displayMessage ?? definition.displayMessage,
    actor: {
      id: actor.id,
      type: actor.type,
      alternateId: actor.alternateId,
      displayName: actor.displayName,
      detailEntry: null,
    },
    client: clientOf(context.client, context.transactionType === 'WEB'),
    device: null,
    authenticationContext: authenticationOf({ ...sessionOf(context), ...event.authentication }, context.namespace),
    outcome: {
      result: event.outcome?.result ?? 'SUCCESS',
      reason: reason === null || reason === '' ? null : reason.slice(0, MAXIMUM_REASON_LENGTH),
    },
    target: event.target === undefined || event.target.length === 0 ? null : event.target.map(targetOf),
    transaction: { type: context.transactionType, id: context.requestId, detail },
    debugContext: { debugData: debugDataOf(context, event.debugData ?? {}) },
    securityContext: {
      asNumber: null,
      asOrg: null,
      isp: null,
      domain: null,
      isProxy: null,
      ipDetails: null,
      userBehaviors: null,
      risk: null,
      botProtection: null,
    },
    request: { ipChain: context.client.ipChain.map(ipEntry) },
  };
  return cleaned(wire) as JsonObject;
}
