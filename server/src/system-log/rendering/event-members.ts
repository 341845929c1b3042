import { isIP } from 'node:net';
import type { JsonObject } from '../write/event.ts';
import type { KindLine, OwnLine, RequesterLine, TargetItem } from '../write/event-input.ts';

const ipEntry = ([ip, place]: RequesterLine[21][number]): JsonObject => ({
  ip,
  geographicalContext: place,
  version: isIP(ip) === 6 ? 'V6' : 'V4',
  source: null,
  ipDetails: null,
});

function originMembers(network: JsonObject | null, ipChain: RequesterLine[21]): JsonObject {
  return {
    securityContext: {
      asNumber: network?.['asNumber'] ?? null,
      asOrg: network?.['asOrg'] ?? null,
      isp: network?.['isp'] ?? null,
      domain: network?.['domain'] ?? null,
      isProxy: network?.['isProxy'] ?? null,
      ipDetails: null,
      userBehaviors: null,
      risk: null,
      botProtection: null,
    },
    request: { ipChain: ipChain.map(ipEntry) },
  };
}

/**
 * Returns the members about a requester in groups, because the event's own members come before the last group in the
 * text.
 */
export function requesterMembers(line: RequesterLine) {
  const [id, type, alternateId, displayName, device, zone, clientId, rawUserAgent, os, browser, ...more] = line;
  const [authenticationProvider, credentialProvider, credentialType, issuerId, issuerType, ...origin] = more;
  const [externalSessionId, rootSessionId, interface_, ipAddress, place, network, ipChain] = origin;
  const userAgent = device === null ? null : { rawUserAgent, os, browser };
  const issuer = issuerId === null ? null : { id: issuerId, type: issuerType };
  return {
    actor: { actor: { id, type, alternateId, displayName, detailEntry: null } },
    client: {
      client: { userAgent, zone, device, id: clientId, ipAddress, geographicalContext: place },
      device: null,
    },
    proof: {
      authenticationContext: {
        authenticationProvider,
        credentialProvider,
        credentialType,
        issuer,
        externalSessionId,
        interface: interface_,
        authenticationStep: 0,
        rootSessionId,
      },
    },
    origin: originMembers(network, ipChain),
  };
}

export const kindMembers = ([eventType, severity, legacyEventType, displayMessage]: KindLine): JsonObject => ({
  eventType,
  version: '0',
  severity,
  legacyEventType,
  displayMessage,
});

const targetJson = ([id, type, alternateId, displayName, detailEntry, changeDetails]: TargetItem): JsonObject => ({
  id,
  type,
  alternateId,
  displayName,
  detailEntry,
  changeDetails,
});

/** The members are in the order of the text. */
export function ownMembers(line: OwnLine): JsonObject {
  const [result, reason, targets, transactionType, transactionId, requestApiTokenId, debugData] = line;
  return {
    outcome: { result, reason },
    target: targets === null ? null : targets.map(targetJson),
    transaction: {
      type: transactionType,
      id: transactionId,
      detail: requestApiTokenId === null ? {} : { requestApiTokenId },
    },
    debugContext: { debugData: { requestId: transactionId, ...debugData } },
  };
}
