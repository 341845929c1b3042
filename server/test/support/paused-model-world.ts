import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { OrgId } from '../../src/kernel/words/ids.ts';
import { OutboundError } from '../../src/platform/outbound/index.ts';
import { startSink, verifyOrg } from '../../src/system-log/index.ts';
import { findLedgerRows } from '../../src/system-log/ledger/ledger-pages-store.ts';
import { createTestClient, type TestClient } from './client.ts';
import { newListener } from './logout-receiver.ts';
import { type MailServer, mailServer } from './mail-server.ts';
import { PausedPair } from './paused-pair.ts';
import { seedToken } from './seeds.ts';
import type { TestOrg, TestServiceOptions } from './service.ts';
import { LogBench, testClock } from './system-log.ts';

export type NodeName = 'awake' | 'late';

/** Something that a node sent outward. The same `key` means the same email, notice or event. */
export interface Effect {
  readonly node: NodeName;
  readonly key: string;
}

/** A user whom requests change. */
export interface Person {
  readonly id: string;
  /** The profile without a nickname. */
  readonly profile: Readonly<Record<string, unknown>>;
  nickName: string | null;
  isSuspended: boolean;
}

export interface Caller {
  readonly userId: string;
  readonly token: string;
}

/** Requests change all but the last one. */
const PEOPLE = 3;
const EVERYTHING = { after: 0, upTo: Number.MAX_SAFE_INTEGER, limit: 100_000, maximumBytes: 1_000_000_000 };

// Notes every event that is committed, so that the ledger can be compared with them.
const NOTING = [
  'create schema model',
  'create table model.events (org_id text not null, uuid uuid not null)',
  `create function model.note() returns trigger language plpgsql as
     $$ begin insert into model.events values (new.org_id, new.uuid); return null; end $$`,
  'create trigger model_note after insert on log_inputs for each row execute function model.note()',
];

/** The receivers of the emails, notices and batches of events of both nodes. */
class Outside {
  /** In the order in which they occurred. */
  readonly effects: Effect[] = [];
  readonly #mail: Readonly<Record<NodeName, MailServer>> = {
    awake: this.#mailServerOf('awake'),
    late: this.#mailServerOf('late'),
  };
  /** The keys of effects that may occur twice, because a node was paused between an effect and its note. */
  readonly mayRepeat = new Set<string>();

  #mailServerOf(node: NodeName): MailServer {
    return mailServer((text) => {
      this.effects.push({ node, key: /^Message-ID: (.*)$/im.exec(text)?.[1] ?? text });
    });
  }

  async optionsOf(node: NodeName): Promise<Pick<TestServiceOptions, 'outbound' | 'sinkProviders' | 'smtpUrl'>> {
    const open = (sinkId: string) => ({
      maximumEvents: 100,
      maximumBytes: 1_000_000,
      target: { id: sinkId, type: 'LogStream', alternateId: 'alternate', displayName: 'A stream' },
      showsValues: true,
      wants: () => true,
      deliver: async ({ events }: { readonly events: readonly { readonly position: number }[] }) => {
        for (const { position } of events) this.effects.push({ node, key: `${sinkId} ${position}` });
        return { outcome: 'delivered', status: 200 } as const;
      },
    });
    const provider = { open: async (_: OrgId, sinkId: string) => open(sinkId) };
    return {
      smtpUrl: `smtp://127.0.0.1:${await this.#mail[node].listen()}`,
      sinkProviders: { event_hook: provider, log_stream: provider },
      outbound: {
        send: async ({ url }) => {
          this.effects.push({ node, key: url });
          return { status: 200, headers: {}, body: Buffer.alloc(0) };
        },
        getJson: () => Promise.reject(new OutboundError('unreachable')),
        close: () => Promise.resolve(),
      },
    };
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#mail).map((server) => server.close()));
  }
}

/** The database with its two nodes, which all runs share. */
export interface Stage {
  readonly pair: PausedPair;
  readonly outside: Outside;
  readonly close: () => Promise<void>;
}

export async function openStage(): Promise<Stage> {
  const outside = new Outside();
  const pair = await PausedPair.open({
    awake: await outside.optionsOf('awake'),
    late: await outside.optionsOf('late'),
  });
  for (const text of NOTING) await pair.database.pool.query(text);
  return {
    pair,
    outside,
    close: async () => {
      await pair.close();
      await outside.close();
    },
  };
}

/** An org, and the serial model of what was done to it. */
export class PausedWorld {
  readonly pair: PausedPair;
  readonly outside: Outside;
  readonly org: TestOrg;
  readonly people: readonly Person[];
  readonly listener: { readonly id: string; readonly uri: string };
  readonly tally: Map<string, number>;
  readonly #clients = new Map<string, ReturnType<typeof createTestClient>>();
  #caller: Caller | null = null;

  private constructor(
    { outside, pair }: Stage,
    org: TestOrg,
    made: { readonly people: readonly Person[]; readonly listener: { readonly id: string; readonly uri: string } },
    tally: Map<string, number>,
  ) {
    this.pair = pair;
    this.outside = outside;
    this.org = org;
    this.people = made.people;
    this.listener = made.listener;
    this.tally = tally;
  }

  static async open(stage: Stage, tally: Map<string, number>): Promise<PausedWorld> {
    const { awake } = stage.pair;
    const org = await awake.newOrg();
    await startSink(awake.application.db, org.id, { id: `who${org.id.slice(3)}`, kind: 'log_stream' });
    const people: Person[] = [];
    while (people.length < PEOPLE) {
      const credentials = { password: { value: `Correct-1-Horse-${people.length}` } };
      const { id, profile } = await org.createUser({ credentials });
      people.push({ id, profile, nickName: null, isSuspended: false });
    }
    return new PausedWorld(stage, org, { people, listener: await newListener(org) }, tally);
  }

  count(what: string, times = 1): void {
    this.tally.set(what, (this.tally.get(what) ?? 0) + times);
  }

  person(index: number): Person {
    const person = this.people[index % this.people.length];
    if (person === undefined) throw new Error('there are no people');
    return person;
  }

  /** Returns an administrator who has not lost the right to call. */
  async caller(): Promise<Caller> {
    if (this.#caller === null) {
      const { application, clock } = this.pair.awake;
      const org = { orgId: this.org.id, baseUrl: this.org.baseUrl };
      this.#caller = await seedToken(application, clock, org, ['SUPER_ADMIN']);
    }
    return this.#caller;
  }

  get isRevoked(): boolean {
    return this.#caller === null;
  }

  /** Suspends the caller, or takes their role or their token. */
  async revoke(how: 'suspend' | 'role' | 'token'): Promise<void> {
    const caller = await this.caller();
    const { admin } = this.org;
    const path = `/api/v1/users/${caller.userId}`;
    const [role] = (await admin.get(`${path}/roles`)).body as { id: string }[];
    const answer = await {
      suspend: () => admin.post(`${path}/lifecycle/suspend`),
      role: () => admin.del(`${path}/roles/${role?.id}`),
      token: () => this.client('awake', caller.token).del('/api/v1/api-tokens/current'),
    }[how]();
    expect(answer.status, answer.text).toBeLessThan(300);
    this.#caller = null;
  }

  client(node: NodeName, token: string): TestClient {
    const key = `${node} ${token}`;
    const { ca, port } = this.pair[node];
    const target = { port, hostname: this.org.hostname, ca, headers: { authorization: `SSWS ${token}` } };
    const made = this.#clients.get(key) ?? createTestClient(target);
    this.#clients.set(key, made);
    return made;
  }

  query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.pair.awake.application.pool.query<Row>(text, [...values]).then(({ rows }) => rows);
  }

  /** Lets the awake node do what is due. */
  async rest(): Promise<void> {
    const { jobs, notices, relay, sinks } = this.pair.awake.application;
    for (let turns = 0; turns < 100; turns += 1) {
      const report = await relay.drain();
      const ran = (await jobs.runDue()) + (await notices.runDue()) + (await sinks.runDue());
      if (ran === 0 && (report === 'busy' || report.events === 0)) return;
    }
    throw new Error('the awake node never came to rest');
  }

  /** Makes an org with five events that are some days old, and nothing else. */
  async newOldLog(days: number): Promise<OrgId> {
    const clock = testClock(new Date(this.org.now().getTime() - days * 86_400_000));
    const bench = new LogBench(this.pair.awake.application.pool, clock);
    const orgId = await bench.newOrg();
    await bench.write(
      orgId,
      Array.from({ length: 5 }, () => ({
        eventType: 'user.lifecycle.create',
        target: [{ id: randomUUID(), type: 'User' }],
      })),
    );
    await bench.drainAll();
    // The first signature makes the key.
    await this.pair.awake.application.logSigner(orgId, 'model', {}, this.org.now());
    return orgId;
  }

  /** Compares the people with the model. */
  async expectPeople(): Promise<void> {
    const stored = await this.query<{ id: string; nickName: string | null; isSuspended: boolean }>(
      `select id, profile ->> 'nickName' as "nickName", status = 'SUSPENDED' as "isSuspended" from users
       where org_id = $1 and id = any($2) order by array_position($2, id)`,
      [this.org.id, this.people.map(({ id }) => id)],
    );
    expect(stored).toEqual(this.people.map(({ id, isSuspended, nickName }) => ({ id, nickName, isSuspended })));
  }

  /** Expects that the ledger of an org has each committed event once, and verifies it. */
  async expectLog(orgId: OrgId): Promise<void> {
    const { connections } = new LogBench(this.pair.awake.application.pool);
    const rows = await connections.withConnection((connection) => findLedgerRows(connection, orgId, EVERYTHING));
    const noted = await this.query<{ uuid: string }>('select uuid from model.events where org_id = $1', [orgId]);
    expect(rows.map(({ uuid }) => uuid).sort()).toEqual(noted.map(({ uuid }) => uuid).sort());
    expect(await verifyOrg(connections, orgId)).toMatchObject({ ok: true, verified: noted.length, fault: null });
  }

  /** Expects that each effect occurred once, unless a pause made a repetition possible. */
  expectEffects(): void {
    const counts = new Map<string, number>();
    for (const { key } of this.outside.effects) counts.set(key, (counts.get(key) ?? 0) + 1);
    const repeated = [...counts].filter(([key, times]) => times > (this.outside.mayRepeat.has(key) ? 2 : 1));
    expect(repeated, 'effects that occurred too often').toEqual([]);
  }

  async expectDelivered(): Promise<void> {
    const [head] = await this.query<{ position: number }>('select position from log_heads where org_id = $1', [
      this.org.id,
    ]);
    const sinkId = `who${this.org.id.slice(3)}`;
    const keys = new Set(this.outside.effects.map(({ key }) => key));
    const missing = Array.from({ length: head?.position ?? 0 }, (_, at) => `${sinkId} ${at + 1}`);
    const [first] = await this.query<{ position: number }>('select position from log_sinks where id = $1', [sinkId]);
    expect(first?.position, 'the sink is at the end').toBe(head?.position);
    expect(
      missing.filter((key) => !keys.has(key)),
      'events that were not delivered',
    ).toEqual([]);
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
  }
}
