import { type Endpoint, requestBytes } from './connection.ts';
import { authorizationOf, type Gatehouse } from './gatehouse.ts';
import { median, oneByOne } from './load.ts';
import type { LogProbes } from './log-probes.ts';
import { hostnameOf, tokenOf } from './orgs-data.ts';

// These are the queries for a page of 1,000 events. They cover the last 89 days, or a part of them if `days` is set.

const DAY = 86_400_000;

export interface Question {
  readonly name: string;
  readonly filter?: string;
  readonly q?: string;
  readonly isFalling?: true;
  readonly days?: number;
  readonly isOfSmallOrg?: true;
}

const eq = (name: string, value: string): string => `${name} eq ${JSON.stringify(value)}`;

/** The shares in the names come from the generator (log-events.ts and log-people.ts). */
export const questionsOf = ({
  busyActor,
  busyTarget,
  rareActor,
  rareTarget,
  sample,
  usualTarget,
}: LogProbes): Question[] => [
  { name: 'no filter' },
  { name: 'no filter, from the middle', days: 45 },
  { name: 'no filter, the newest first', isFalling: true },
  { name: 'eventType, 1 event in 4', filter: eq('eventType', 'user.session.start') },
  { name: 'the same from the middle', filter: eq('eventType', 'user.session.start'), days: 45 },
  { name: 'eventType, 1 in 100', filter: eq('eventType', 'user.lifecycle.activate') },
  { name: 'eventType, 1 in 10,000', filter: eq('eventType', 'system.org.update') },
  {
    name: 'either of two eventTypes',
    filter: `${eq('eventType', 'user.session.start')} or ${eq('eventType', 'user.account.lock')}`,
  },
  { name: 'actor.id, 1 in 20', filter: eq('actor.id', busyActor) },
  { name: 'actor.id, some 60 events', filter: eq('actor.id', rareActor) },
  { name: 'target.id, 1 in 15', filter: eq('target.id', busyTarget) },
  { name: 'target.id, 1 in 100', filter: eq('target.id', usualTarget) },
  {
    name: 'the same from the middle, the newest first',
    filter: eq('target.id', usualTarget),
    days: 45,
    isFalling: true,
  },
  { name: 'target.id, some 60 events', filter: eq('target.id', rareTarget) },
  { name: 'keyword, 1 in 3', q: 'firefox' },
  { name: 'keyword, 1 in 20', q: 'invalid_credentials' },
  { name: 'keyword, 1 in 50, not ASCII', q: 'rózsa' },
  { name: 'keyword, one event', q: sample.uuid },
  { name: 'keyword, none', q: 'nosuchword' },
  { name: 'two keywords, both common', q: 'windows user' },
  { name: 'two keywords, common and rare', q: `windows ${sample.authenticationContext.externalSessionId}` },
  { name: 'client.ipAddress', filter: eq('client.ipAddress', sample.client.ipAddress) },
  { name: 'transaction.id', filter: eq('transaction.id', sample.transaction.id) },
  { name: 'actor.alternateId', filter: eq('actor.alternateId', sample.actor.alternateId) },
  { name: 'debugData, 1 in 7', filter: eq('debugContext.debugData.grantType', 'client_credentials') },
  { name: 'debugData, present', filter: 'debugContext.debugData.zones pr' },
  { name: 'severity, 1 in 20', filter: eq('severity', 'WARN') },
  { name: 'outcome.result, none', filter: eq('outcome.result', 'ABANDONED') },
  {
    name: 'eventType and outcome.result',
    filter: `${eq('eventType', 'user.session.start')} and ${eq('outcome.result', 'FAILURE')}`,
  },
  { name: 'no filter, small org', isOfSmallOrg: true },
  { name: 'eventType, small org', filter: eq('eventType', 'user.session.start'), isOfSmallOrg: true },
  { name: 'keyword, small org', q: 'firefox', isOfSmallOrg: true },
];

const now = Date.now();

/** The range shifts by 37 s with each page, so that no page is requested twice in a row. */
function pathOf({ days = 89, filter, isFalling, q }: Question, asked: number): string {
  const shift = (asked % 50) * 37_000;
  const range = isFalling
    ? { since: new Date(now - 89 * DAY), until: new Date(now - (89 - days) * DAY - shift) }
    : { since: new Date(now - days * DAY + shift), until: new Date(now + DAY) };
  const parameters = new URLSearchParams({
    limit: '1000',
    since: range.since.toISOString(),
    until: range.until.toISOString(),
    ...(isFalling ? { sortOrder: 'DESCENDING' } : {}),
    ...(filter === undefined ? {} : { filter }),
    ...(q === undefined ? {} : { q }),
  });
  return `/api/v1/logs?${parameters.toString()}`;
}

export function requestOf({ endpoint, token }: Gatehouse, question: Question, asked: number): Buffer {
  const isSmall = question.isOfSmallOrg === true;
  const target = isSmall ? { ...endpoint, hostname: hostnameOf(1) } : endpoint;
  return requestBytes(target, 'GET', pathOf(question, asked), authorizationOf(isSmall ? tokenOf(1) : token));
}

/** Measures the median latency of pages in milliseconds. Requests them one after the other over one connection. */
export async function medianLatency(
  endpoint: Endpoint,
  ask: (asked: number) => Buffer,
  pages: number,
): Promise<number> {
  let asked = 0;
  const request = (): Buffer => {
    asked += 1;
    return ask(asked);
  };
  return median(await oneByOne(endpoint, { request }, { warmup: Math.ceil(pages / 3), measured: pages }));
}
