import type { ClientContext } from '../../kernel/client.ts';
import type { Actor, Context, Principal } from '../../kernel/context.ts';
import type { Geography } from '../../platform/geography/index.ts';
import {
  type Authentication,
  cleaned,
  type Json,
  type JsonObject,
  MAXIMUM_STRING_LENGTH,
  type NewEvent,
  namesOf,
  severityOf,
  type Target,
} from './event.ts';
import type { KindLine, OwnLine, RequesterLine, TargetItem } from './event-input.ts';
import { eventDefinition } from './events.ts';
import { withoutSecrets } from './without-secrets.ts';

const MAXIMUM_REASON_LENGTH = 255;

export type Places = Pick<Geography, 'placeOf' | 'networkOf'>;

/** Returns the names of the matched zones. If there are none, clients expect the word `null` (contract section 9). */
function zoneText({ zoneNames }: ClientContext): string {
  const names = zoneNames?.() ?? [];
  return names.length === 0 ? 'null' : names.join(', ');
}

/** Returns the id of the OAuth client: the client of the token, or the actor if a client acts without a token. */
function clientIdOf({ principal }: Context, actor: Actor): string | null {
  if ('clientId' in principal) return principal.clientId;
  return principal.kind === 'anonymous' && actor.type === 'PublicClientApp' ? actor.id : null;
}

function provenBy(principal: Principal): Authentication {
  if (principal.kind === 'oauthClient' || principal.kind === 'oauthUser') {
    return { credentialType: 'OAuth 2.0', issuer: { id: principal.issuer, type: 'OAUTH2' } };
  }
  if (principal.kind !== 'session') return {};
  const { externalSessionId, rootSessionId } = principal;
  return {
    authenticationProvider: '{WORD}_AUTHENTICATION_PROVIDER',
    credentialType: '{WORD}_CLIENT_SESSION',
    externalSessionId,
    rootSessionId,
  };
}

const worded = (value: string | null | undefined, upperWord: string): string | null =>
  value?.replaceAll('{WORD}', upperWord) ?? null;

function placeJson(places: Places, address: string): JsonObject | null {
  const place = places.placeOf(address);
  if (place === null) return null;
  const { city, state, country, postalCode, geolocation } = place;
  return { city, state, country, postalCode, geolocation: geolocation === null ? null : { ...geolocation } };
}

function networkJson(places: Places, address: string): JsonObject | null {
  const network = places.networkOf(address);
  if (network === null) return null;
  const { asNumber, asOrg, isp, domain, isProxy } = network;
  return { asNumber, asOrg, isp, domain, isProxy };
}

function requesterFacts(context: Context, event: NewEvent, places: Places): RequesterLine {
  const { client, namespace, principal } = context;
  const { ipAddress, ipChain, userAgent } = client;
  const actor = event.actor ?? context.actor;
  const isClient = context.transactionType === 'WEB' || ipAddress !== null;
  const proven = provenBy(principal);
  const proof = event.authentication === undefined ? proven : { ...proven, ...event.authentication };
  return [
    actor.id,
    actor.type,
    actor.alternateId,
    actor.displayName,
    isClient ? client.device : null,
    zoneText(client),
    clientIdOf(context, actor),
    userAgent.rawUserAgent,
    userAgent.os,
    userAgent.browser,
    worded(proof.authenticationProvider, namespace.upper),
    worded(proof.credentialProvider, namespace.upper),
    worded(proof.credentialType, namespace.upper),
    proof.issuer?.id ?? null,
    proof.issuer?.type ?? null,
    proof.externalSessionId ?? null,
    proof.rootSessionId ?? null,
    proof.interface ?? null,
    ipAddress,
    ipAddress === null ? null : placeJson(places, ipAddress),
    ipAddress === null ? null : networkJson(places, ipAddress),
    ipChain.map((ip) => [ip, placeJson(places, ip)] as const),
  ];
}

function kindFacts(context: Context, event: NewEvent): KindLine {
  const { eventType, legacyEventType } = namesOf(context, event.eventType);
  const displayMessage = event.displayMessage ?? eventDefinition(event.eventType).displayMessage;
  return [eventType, severityOf(event), legacyEventType, displayMessage];
}

function targetItem({ alternateId, changeDetails, detailEntry, displayName, id, type }: Target): TargetItem {
  const change = changeDetails === undefined ? null : { from: changeDetails.from, to: changeDetails.to };
  return [id, type, alternateId ?? null, displayName ?? null, detailEntry ?? null, change];
}

const ADDRESSES = ['requestUri', 'url'] as const;

/** Values are strings, as clients expect. The renderer adds the request id. */
function debugDataOf(context: Context, own: NewEvent['debugData']): JsonObject {
  const told: Record<string, Json> = {};
  if (context.client.deviceFingerprint !== null) told['deviceFingerprint'] = context.client.deviceFingerprint;
  if (context.requestUri !== null) told['requestUri'] = context.requestUri;
  if (context.url !== null) told['url'] = context.url;
  const all = own === undefined ? told : { ...told, ...own };
  for (const name of ADDRESSES) if (typeof all[name] === 'string') all[name] = withoutSecrets(all[name]);
  return all;
}

/** Secrets in the URLs of the debug data are removed before anything is stored. */
function ownFacts(context: Context, event: NewEvent): OwnLine {
  const { principal, requestId, transactionType } = context;
  const reason = (event.outcome?.reason ?? '').slice(0, MAXIMUM_REASON_LENGTH);
  const { target = [] } = event;
  return [
    event.outcome?.result ?? 'SUCCESS',
    reason === '' ? null : reason,
    target.length === 0 ? null : target.map(targetItem),
    transactionType,
    requestId,
    'tokenId' in principal ? principal.tokenId : null,
    debugDataOf(context, event.debugData),
  ];
}

/**
 * A sign that `cleaned` may have to replace characters in JSON text. `JSON.stringify` escapes lone surrogates and
 * U+0000 with `\u`.
 */
const NEEDS_A_LOOK = /\\u|[\ud800-\udfff]/;

function lineOf(facts: Json): string {
  const text = JSON.stringify(facts);
  // If the whole text is within the limit for a string, so is every string in it.
  return text.length <= MAXIMUM_STRING_LENGTH && !NEEDS_A_LOOK.test(text) ? text : JSON.stringify(cleaned(facts));
}

/**
 * Makes the input of an event: a line each for the requester, the kind and the event itself. Values contain no line
 * feeds, because JSON escapes them.
 */
export type InputWriter = (context: Context, event: NewEvent) => string;

/**
 * Makes a writer of inputs. It remembers the last requester, because the events of one request are written one after
 * another, and a request that came through proxies may list hundreds of addresses.
 */
export function createInputWriter(places: Places): InputWriter {
  let last: { readonly context: Context; readonly event: NewEvent; readonly line: string } | undefined;
  const requesterLine = (context: Context, event: NewEvent): string => {
    const isSame =
      last?.context === context &&
      last.event.actor === event.actor &&
      last.event.authentication === event.authentication;
    if (last === undefined || !isSame) {
      last = { context, event, line: lineOf(requesterFacts(context, event, places)) };
    }
    return last.line;
  };
  return (context, event) =>
    [requesterLine(context, event), lineOf(kindFacts(context, event)), lineOf(ownFacts(context, event))].join('\n');
}
