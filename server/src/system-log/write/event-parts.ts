import { isIP } from 'node:net';
import type { ClientContext } from '../../kernel/client.ts';
import type { Actor, Context, Principal } from '../../kernel/context.ts';
import type { ClientId } from '../../kernel/words/ids.ts';
import type { Geography } from '../../platform/geography/index.ts';
import {
  type Authentication,
  type Json,
  type JsonObject,
  type NewEvent,
  namesOf,
  severityOf,
  type Target,
} from './event.ts';
import { eventDefinition } from './events.ts';
import { withoutSecrets } from './without-secrets.ts';

const MAXIMUM_REASON_LENGTH = 255;

/** The lookup of addresses that events need. */
export type Places = Pick<Geography, 'placeOf' | 'networkOf'>;

/** The actor's authentication in the form that events show. */
interface Proof {
  readonly authenticationProvider: string | null;
  readonly credentialProvider: string | null;
  readonly credentialType: string | null;
  readonly issuerId: string | null;
  readonly issuerType: string | null;
  readonly externalSessionId: string | null;
  readonly rootSessionId: string | null;
  readonly interface: string | null;
}

/** All facts about the requester and the origin of the request. Most requests of one client share these facts. */
export interface Requester {
  readonly actor: Actor;
  readonly client: ClientContext;
  /** Null if the service itself acts, without a client. */
  readonly device: string | null;
  readonly zone: string;
  readonly clientId: ClientId | null;
  readonly proof: Proof;
}

/** Returns the names of the matched zones. If there are none, clients expect the word `null` (contract section 9). */
function zoneText({ zoneNames }: ClientContext): string {
  const names = zoneNames?.() ?? [];
  return names.length === 0 ? 'null' : names.join(', ');
}

/** Returns the OAuth client: the client of the token, or the actor if the client is asking for a token. */
function clientIdOf({ principal }: Context, actor: Actor): string | null {
  if ('clientId' in principal) return principal.clientId;
  return principal.kind === 'anonymous' && actor.type === 'PublicClientApp' ? actor.id : null;
}

/** Returns the authentication by a session or an OAuth token. Other principals have none. */
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

function proofOf({ namespace, principal }: Context, told: Authentication | undefined): Proof {
  const proven = provenBy(principal);
  const all = told === undefined ? proven : { ...proven, ...told };
  return {
    authenticationProvider: worded(all.authenticationProvider, namespace.upper),
    credentialProvider: worded(all.credentialProvider, namespace.upper),
    credentialType: worded(all.credentialType, namespace.upper),
    issuerId: all.issuer?.id ?? null,
    issuerType: all.issuer?.type ?? null,
    externalSessionId: all.externalSessionId ?? null,
    rootSessionId: all.rootSessionId ?? null,
    interface: all.interface ?? null,
  };
}

export function requesterOf(context: Context, event: NewEvent): Requester {
  const { client } = context;
  const actor = event.actor ?? context.actor;
  const isClient = context.transactionType === 'WEB' || client.ipAddress !== null;
  return {
    actor,
    client,
    device: isClient ? client.device : null,
    zone: zoneText(client),
    clientId: clientIdOf(context, actor),
    proof: proofOf(context, event.authentication),
  };
}

/** Returns all facts that determine the members about a requester. */
export function factsOf({ actor, client, clientId, device, proof, zone }: Requester): readonly (string | null)[] {
  const { browser, os, rawUserAgent } = client.userAgent;
  return [
    actor.id,
    actor.type,
    actor.alternateId,
    actor.displayName,
    device,
    zone,
    clientId,
    rawUserAgent,
    os,
    browser,
    proof.authenticationProvider,
    proof.credentialProvider,
    proof.credentialType,
    proof.issuerId,
    proof.issuerType,
    proof.externalSessionId,
    proof.rootSessionId,
    proof.interface,
    client.ipAddress,
    ...client.ipChain,
  ];
}

const actorMembers = ({ actor: { id, type, alternateId, displayName } }: Requester): JsonObject => ({
  actor: { id, type, alternateId, displayName, detailEntry: null },
});

function placeJson(places: Places, address: string): JsonObject | null {
  const place = places.placeOf(address);
  if (place === null) return null;
  const { city, state, country, postalCode, geolocation } = place;
  return { city, state, country, postalCode, geolocation: geolocation === null ? null : { ...geolocation } };
}

function clientMembers({ client, clientId, device, zone }: Requester, places: Places): JsonObject {
  const { ipAddress, userAgent } = client;
  const { rawUserAgent, os, browser } = userAgent;
  return {
    client: {
      userAgent: device === null ? null : { rawUserAgent, os, browser },
      zone,
      device,
      id: clientId,
      ipAddress,
      geographicalContext: ipAddress === null ? null : placeJson(places, ipAddress),
    },
    device: null,
  };
}

const proofMembers = ({ proof }: Requester): JsonObject => ({
  authenticationContext: {
    authenticationProvider: proof.authenticationProvider,
    credentialProvider: proof.credentialProvider,
    credentialType: proof.credentialType,
    issuer: proof.issuerId === null ? null : { id: proof.issuerId, type: proof.issuerType },
    externalSessionId: proof.externalSessionId,
    interface: proof.interface,
    authenticationStep: 0,
    rootSessionId: proof.rootSessionId,
  },
});

const ipEntry = (places: Places, ip: string): JsonObject => ({
  ip,
  geographicalContext: placeJson(places, ip),
  version: isIP(ip) === 6 ? 'V6' : 'V4',
  source: null,
  ipDetails: null,
});

function originMembers({ client: { ipAddress, ipChain } }: Requester, places: Places): JsonObject {
  const network = ipAddress === null ? null : places.networkOf(ipAddress);
  return {
    securityContext: {
      asNumber: network?.asNumber ?? null,
      asOrg: network?.asOrg ?? null,
      isp: network?.isp ?? null,
      domain: network?.domain ?? null,
      isProxy: network?.isProxy ?? null,
      ipDetails: null,
      userBehaviors: null,
      risk: null,
      botProtection: null,
    },
    request: { ipChain: ipChain.map((ip) => ipEntry(places, ip)) },
  };
}

/** Returns the members about a requester. In the text, actor, client and proof follow the kind; origin is last. */
export const requesterMembers = (requester: Requester, places: Places) => ({
  actor: actorMembers(requester),
  client: clientMembers(requester, places),
  proof: proofMembers(requester),
  origin: originMembers(requester, places),
});

export function kindMembers(context: Context, event: NewEvent): JsonObject {
  const { eventType, legacyEventType } = namesOf(context, event.eventType);
  const displayMessage = displayMessageOf(event);
  return { eventType, version: '0', severity: severityOf(event), legacyEventType, displayMessage };
}

export const displayMessageOf = (event: NewEvent): string =>
  event.displayMessage ?? eventDefinition(event.eventType).displayMessage;

export function targetJson(target: Target): JsonObject {
  const { changeDetails } = target;
  return {
    id: target.id,
    type: target.type,
    alternateId: target.alternateId ?? null,
    displayName: target.displayName ?? null,
    detailEntry: target.detailEntry ?? null,
    changeDetails: changeDetails === undefined ? null : { from: changeDetails.from, to: changeDetails.to },
  };
}

const ADDRESSES = ['requestUri', 'url'] as const;

/**
 * Returns the debug data of an event. Values are strings, as clients expect. Every event that a request caused has data
 * about the request's address.
 */
function debugDataOf(context: Context, own: Readonly<Record<string, string>> | undefined): JsonObject {
  const told: Record<string, Json> = { requestId: context.requestId };
  if (context.client.deviceFingerprint !== null) told['deviceFingerprint'] = context.client.deviceFingerprint;
  if (context.requestUri !== null) told['requestUri'] = context.requestUri;
  if (context.url !== null) told['url'] = context.url;
  const all = own === undefined ? told : { ...told, ...own };
  for (const name of ADDRESSES) if (typeof all[name] === 'string') all[name] = withoutSecrets(all[name]);
  return all;
}

function detailOf({ principal }: Context): JsonObject {
  return 'tokenId' in principal ? { requestApiTokenId: principal.tokenId } : {};
}

export function outcomeMembers({ outcome }: NewEvent): JsonObject {
  const reason = (outcome?.reason ?? '').slice(0, MAXIMUM_REASON_LENGTH);
  return { outcome: { result: outcome?.result ?? 'SUCCESS', reason: reason === '' ? null : reason } };
}

/** Returns the members about the context of the event. `debugData` is the data that the event itself supplies. */
export const occasionMembers = (context: Context, debugData: NewEvent['debugData']): JsonObject => ({
  transaction: { type: context.transactionType, id: context.requestId, detail: detailOf(context) },
  debugContext: { debugData: debugDataOf(context, debugData) },
});
