import type { IncomingHttpHeaders } from 'node:http';
import { Agent, get } from 'node:https';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useService } from '../support/use-service.ts';

// Each block reads the log as a published collector does, with plain HTTP requests.

interface LogEvent {
  readonly uuid: string;
  readonly published: string;
  readonly eventType: string;
  readonly target: readonly { readonly id: string }[] | null;
}

interface Page {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly events: readonly LogEvent[];
  readonly linkLines: readonly string[];
}

const { service } = useService({ namespace: 'okta' });
let agent: Agent;
let base: string;
let since: Date;

beforeAll(() => {
  agent = new Agent({ keepAlive: true, ca: service.ca });
  base = `https://localhost:${service.port}`;
});
afterAll(() => agent.destroy());
beforeEach(async () => {
  // Earlier events are persisted before `since`, so a poll from `since` does not find them.
  await service.drained();
  service.clock.advance(2);
  since = service.clock.now();
});

function read(url: string): Promise<Page> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `SSWS ${service.org.adminToken}`, accept: 'application/json' };
    get(url, { agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          events: Array.isArray(parsed) ? (parsed as LogEvent[]) : [],
          linkLines: response.rawHeaders.filter((_, index) => response.rawHeaders[index - 1]?.toLowerCase() === 'link'),
        });
      });
    }).on('error', reject);
  });
}

/** Reads the Link header lines as a general RFC 8288 parser would. */
function linkOf(page: Page, relation: string): string | undefined {
  for (const line of page.linkLines) {
    for (const [, url, name] of line.matchAll(/<([^>]*)>;\s*rel="([^"]*)"/g)) {
      if (name === relation) return url;
    }
  }
  return undefined;
}

function required(url: string | undefined): string {
  if (url === undefined) throw new Error('the page has no next link');
  return url;
}

async function createUsers(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made += 1) ids.push((await service.org.createUser()).id);
  await service.drained();
  return ids;
}

const createdIds = (events: readonly LogEvent[]): string[] =>
  events.flatMap((event) => (event.eventType === 'user.lifecycle.create' ? [event.target?.[0]?.id ?? ''] : []));

const microseconds = (date: Date): string => date.toISOString().replace('Z', '000');

describe('Elastic Agent, integration "okta"', () => {
  it('reads from `since`, follows next until an empty page, and restarts at the last published', async () => {
    const first = await createUsers(3);
    const seen = new Map<string, LogEvent>();
    const collect = async (from: string): Promise<void> => {
      let page = await read(`${base}/api/v1/logs?limit=2&since=${encodeURIComponent(from)}`);
      while (page.events.length > 0) {
        for (const event of page.events) seen.set(event.uuid, event);
        for (const name of ['x-rate-limit-limit', 'x-rate-limit-remaining', 'x-rate-limit-reset']) {
          expect(page.headers[name]).toMatch(/^\d+$/);
        }
        page = await read(required(linkOf(page, 'next')));
      }
    };
    await collect(since.toISOString());
    expect(createdIds([...seen.values()])).toEqual(first);
    const second = await createUsers(2);
    // This collector stores only the last `published`. It drops repeated events by uuid.
    await collect([...seen.values()].at(-1)?.published ?? '');
    expect(createdIds([...seen.values()])).toEqual([...first, ...second]);
  });
});

describe('Splunk add-on', () => {
  it('reads windows with six-digit fractions, side by side, without loss or repetition', async () => {
    const first = await createUsers(3);
    const middle = service.clock.now();
    const second = await createUsers(2);
    const end = new Date(service.clock.now().getTime() + 1_000);
    const readWindow = async (from: Date, to: Date): Promise<LogEvent[]> => {
      const events: LogEvent[] = [];
      let url: string | undefined =
        `${base}/api/v1/logs?limit=2&since=${microseconds(from)}Z&until=${microseconds(to)}Z&sortOrder=ASCENDING`;
      while (url !== undefined) {
        const page: Page = await read(url);
        expect(page.status).toBe(200);
        events.push(...page.events);
        url = linkOf(page, 'next');
      }
      return events;
    };
    const events = [...(await readWindow(since, middle)), ...(await readWindow(middle, end))];
    expect(createdIds(events)).toEqual([...first, ...second]);
    expect(new Set(events.map((event) => event.uuid)).size).toBe(events.length);
  });
});

describe('Logstash, input "okta_system_log"', () => {
  /** Reads the header as Logstash does, which expects `self` before `next`, in two header lines or in one. */
  const nextByLogstash = (page: Page): string | undefined => {
    const [one = '', two] = page.linkLines;
    const line = two ?? one.split(',')[1] ?? '';
    return /<([^>]+)>/.exec(line)?.[1];
  };

  it('stores the next link for ever and goes on from it, over empty pages too', async () => {
    const first = await createUsers(1);
    const filter = encodeURIComponent('eventType eq "user.lifecycle.create"');
    let page = await read(`${base}/api/v1/logs?limit=1000&since=${since.toISOString()}&filter=${filter}`);
    expect(createdIds(page.events)).toEqual(first);
    for (let idle = 0; idle < 3; idle += 1) {
      page = await read(required(nextByLogstash(page)));
      expect(page.events).toEqual([]);
    }
    const stored = required(nextByLogstash(page));
    expect(stored).toBe(linkOf(page, 'next'));
    const second = await createUsers(2);
    // After a restart, only the stored URL is known.
    expect(createdIds((await read(stored)).events)).toEqual(second);
    expect(createdIds((await read(stored)).events)).toEqual(second);
  });

  it('sends tokens of an alphabet it knows', () => {
    expect(service.org.adminToken).toMatch(/^[A-Za-z0-9_~-]+$/);
  });
});

describe('Vector, source "okta"', () => {
  it('sends +00:00 percent-encoded, splits Link at commas, and stops at an empty array', async () => {
    const created = await createUsers(3);
    const events: LogEvent[] = [];
    const from = encodeURIComponent(since.toISOString().replace('Z', '+00:00'));
    let page = await read(`${base}/api/v1/logs?limit=2&since=${from}`);
    while (page.events.length > 0) {
      events.push(...page.events);
      const part = page.linkLines
        .join(', ')
        .split(',')
        .find((one) => one.includes('rel="next"'));
      const url = part?.trim().split(';')[0]?.slice(1, -1);
      page = await read(required(url));
    }
    expect(createdIds(events)).toEqual(created);
  });

  it('gets no comma in a link even when the filter has one', async () => {
    const filter = encodeURIComponent('displayMessage eq "one, two"');
    const page = await read(`${base}/api/v1/logs?since=${since.toISOString()}&filter=${filter}`);
    expect(page.linkLines.length).toBeGreaterThan(0);
    for (const line of page.linkLines) expect(/<([^>]*)>/.exec(line)?.[1]).not.toContain(',');
    expect((await read(required(linkOf(page, 'next')))).status).toBe(200);
  });
});

describe('Cortex XSIAM', () => {
  it('sends `since` without a zone, reads no Link, and asks again from the last published, inclusive', async () => {
    // A page contains fewer events than the relay may persist at one instant. The collector must still advance.
    const created: string[] = [];
    for (let count = 0; count < 5; count += 1) created.push(...(await createUsers(1)));
    const seen = new Map<string, LogEvent>();
    let from = microseconds(since);
    for (;;) {
      const page = await read(`${base}/api/v1/logs?since=${from}&sortOrder=ASCENDING&limit=3`);
      expect(page.status).toBe(200);
      const fresh = page.events.filter((event) => !seen.has(event.uuid));
      for (const event of fresh) seen.set(event.uuid, event);
      if (fresh.length === 0) break;
      from = microseconds(new Date(fresh.at(-1)?.published ?? ''));
    }
    expect(createdIds([...seen.values()])).toEqual(created);
  });

  it('means UTC by a time without a zone', async () => {
    await createUsers(1);
    const inUtc = await read(`${base}/api/v1/logs?since=${since.toISOString()}&limit=1`);
    const withoutZone = await read(`${base}/api/v1/logs?since=${microseconds(since)}&limit=1`);
    expect(withoutZone.events).toEqual(inUtc.events);
    expect(inUtc.events).toHaveLength(1);
  });
});
