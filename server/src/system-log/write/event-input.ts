import type { ClientId } from '../../kernel/words/ids.ts';
import type { JsonObject } from './event.ts';

// The input of an event contains all facts from which its text is made, except the UUID and time of the event. It has
// three lines, each a JSON array. A stored input must give the same text in every later release, so the meaning of a
// position never changes. A change to the lines requires a new format number.

/** The number of the format that this release writes. */
export const INPUT_FORMAT = 1;

/** The facts about the requester, which are the same for most requests of one client. */
export type RequesterLine = readonly [
  actorId: string,
  actorType: string,
  actorAlternateId: string,
  actorDisplayName: string,
  /** This is null if the service itself acts, without a client. */
  device: string | null,
  zone: string,
  clientId: ClientId | null,
  rawUserAgent: string | null,
  os: string,
  browser: string,
  authenticationProvider: string | null,
  credentialProvider: string | null,
  credentialType: string | null,
  issuerId: string | null,
  issuerType: string | null,
  externalSessionId: string | null,
  rootSessionId: string | null,
  interface_: string | null,
  ipAddress: string | null,
  place: JsonObject | null,
  network: JsonObject | null,
  ipChain: readonly (readonly [ip: string, place: JsonObject | null])[],
];

/**
 * The facts that most events of a type share. They are stored because a later release may define the type differently.
 */
export type KindLine = readonly [
  eventType: string,
  severity: string,
  legacyEventType: string | null,
  displayMessage: string,
];

export type TargetItem = readonly [
  id: string,
  type: string,
  alternateId: string | null,
  displayName: string | null,
  detailEntry: JsonObject | null,
  changeDetails: JsonObject | null,
];

export type OwnLine = readonly [
  result: string,
  reason: string | null,
  targets: readonly TargetItem[] | null,
  transactionType: string,
  transactionId: string,
  requestApiTokenId: string | null,
  debugData: JsonObject,
];
