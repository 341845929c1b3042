import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { expect } from 'vitest';
import { beginOrgDeletion } from '../../src/management/orgs/index.ts';
import { masterKeyOf } from '../../src/platform/crypto/index.ts';
import { enqueue, INSTALLATION, type JobRunner } from '../../src/platform/jobs/index.ts';
import { queueMail } from '../../src/platform/mail/index.ts';
import { operatorContext } from './org-settings.ts';
import type { PausedWorld } from './paused-model-world.ts';
import { defineAttributes } from './schemas.ts';
import type { TestService } from './service.ts';
import { userPath } from './users.ts';

/** Something that the late node does and is paused in. */
export interface Act {
  /** The late node has lost the right to go on when more than this time has passed. */
  readonly rightSeconds: number;
  /** The pool whose time-out ends the transaction of a paused node. */
  readonly poolOf: (node: TestService) => pg.Pool;
  readonly run: (node: TestService) => Promise<unknown>;
  /** The work of the awake node on the same thing during the pause. */
  readonly meanwhile: (isLost: boolean) => Promise<void>;
  /** The tables that may change after the right was lost, because the change does no harm. */
  readonly harmless: readonly string[];
  /** The tables that must not change after `meanwhile`, even if the right was not lost. */
  readonly kept: readonly string[];
  readonly after: () => Promise<void>;
}

/** The longest lease of jobs and of sinks. */
const JOB_SECONDS = 20;
const SINK_SECONDS = 15;
const MASTER_KEY = masterKeyOf(Buffer.alloc(32, 7));

const nothing = async (): Promise<void> => undefined;

type Runner = 'jobs' | 'notices' | 'sinks';

/** Makes an act of a job. After the lease, the awake node takes the job over. */
const ofJob = (world: PausedWorld, runner: Runner, given: Partial<Act> = {}): Act => {
  const awake: JobRunner = world.pair.awake.application[runner];
  return {
    rightSeconds: runner === 'sinks' ? SINK_SECONDS : JOB_SECONDS,
    poolOf: ({ application }) => application.pool,
    run: ({ application }) => application[runner].runDue(),
    meanwhile: async () => void (await awake.runDue()),
    harmless: [],
    kept: [],
    after: nothing,
    ...given,
  };
};

const setDue = (world: PausedWorld, kind: string): Promise<unknown> =>
  world.query(
    `insert into jobs (org_id, kind, dedupe_key, run_at) values ($1, $2, 'recurring', $3)
     on conflict on constraint jobs_dedupe_key do update set run_at = excluded.run_at, lease_until = null`,
    [INSTALLATION, kind, world.org.now()],
  );

const mail = async (world: PausedWorld): Promise<Act> => {
  const { application } = world.pair.awake;
  const context = operatorContext(world.pair.awake, world.org);
  const recipient = `${randomUUID()}@example.com`;
  const content = { kind: 'activation', userId: null, recipient, subject: 'S', text: 'T', html: 'H' };
  const outbox = { masterKey: MASTER_KEY, delivery: 'smtp' } as const;
  await application.work(context, (tx) => queueMail(outbox, tx, world.org.id, content, context.now));
  // The note that an email was sent is true, whoever writes it.
  return ofJob(world, 'jobs', { harmless: ['mail_outbox'] });
};

const notice = async (world: PausedWorld): Promise<Act> => {
  const { id } = world.listener;
  const uri = `https://${randomUUID()}.example.com/backchannel`;
  await world.query(
    `update apps set document = jsonb_set(document, '{settings,oauthClient,backchannel_logout_uri}', to_jsonb($3::text))
     where org_id = $1 and id = $2`,
    [world.org.id, id, uri],
  );
  const payload = {
    sessionExternalId: randomUUID(),
    userId: world.person(0).id,
    clientId: id,
    serverId: '',
    baseUrl: world.org.baseUrl,
  };
  const job = { kind: 'oauth.backchannelLogout', payload, runAt: world.org.now() };
  await enqueue(world.pair.awake.application.db, world.org.id, job);
  // A notice that was sent is logged.
  return ofJob(world, 'notices', { harmless: ['log_inputs'] });
};

/** The events of a request wait for the sink. */
const delivery = async (world: PausedWorld): Promise<Act> => {
  const { relay } = world.pair.awake.application;
  const person = world.person(0);
  person.nickName = randomUUID();
  const body = { profile: { nickName: person.nickName } };
  expect((await world.org.seeds.post(userPath(person.id), { body })).status).toBe(200);
  await relay.drain();
  // A turn that begins late takes a new fence.
  return ofJob(world, 'sinks', { harmless: ['log_sinks'] });
};

const drain = async (world: PausedWorld): Promise<Act> => {
  const person = world.person(1);
  person.nickName = randomUUID();
  const body = { profile: { nickName: person.nickName } };
  expect((await world.org.seeds.post(userPath(person.id), { body })).status).toBe(200);
  return {
    rightSeconds: Number.POSITIVE_INFINITY,
    poolOf: ({ application }) => application.relayPool,
    run: ({ application }) => application.relay.drain().catch(() => 'failed'),
    meanwhile: nothing,
    harmless: [],
    kept: [],
    after: nothing,
  };
};

const seal = async (world: PausedWorld): Promise<Act> => {
  const orgId = await world.newOldLog(3);
  await setDue(world, 'log.sealing');
  return ofJob(world, 'jobs', {
    poolOf: ({ application }) => application.relayPool,
    // Both nodes may seal, and the database lets only one write a segment.
    harmless: ['log_fresh', 'log_segments', 'installation'],
    after: async () => {
      await world.expectLog(orgId);
      await world.query('delete from log_segments where org_id = $1', [orgId]);
      await world.query('delete from log_fresh where org_id = $1', [orgId]);
      await world.query('delete from log_heads where org_id = $1', [orgId]);
      await world.query('delete from orgs where id = $1', [orgId]);
    },
  });
};

/** The awake node makes the window of the log longer during the pause. */
const retain = async (world: PausedWorld): Promise<Act> => {
  const { jobs } = world.pair.awake.application;
  const orgId = await world.newOldLog(100);
  const clock = { seenAt: world.org.now(), trustedFrom: new Date(world.org.now().getTime() - 500 * 86_400_000) };
  await world.query(
    `insert into installation (name, value) values ('log_retention_clock', $1)
     on conflict (name) do update set value = excluded.value`,
    [JSON.stringify(clock)],
  );
  await setDue(world, 'log.retention');
  return ofJob(world, 'jobs', {
    poolOf: ({ application }) => application.relayPool,
    meanwhile: async (isLost) => {
      await world.query(`update orgs set settings = '{"logRetentionDays": 3650}' where id = $1`, [orgId]);
      if (isLost) await jobs.runDue();
    },
    harmless: ['installation'],
    kept: ['log_fresh', 'log_segments', 'log_anchors'],
    after: async () => {
      for (const table of ['log_fresh', 'log_anchors', 'log_heads'])
        await world.query(`delete from ${table} where org_id = $1`, [orgId]);
      await world.query('delete from orgs where id = $1', [orgId]);
    },
  });
};

/** The awake node imports the org again during the pause. */
const erase = async (world: PausedWorld): Promise<Act> => {
  const { application } = world.pair.awake;
  const gone = await world.pair.awake.newOrg();
  await world.rest();
  await beginOrgDeletion(application, operatorContext(world.pair.awake, world.org), gone.id);
  await world.pair.pass(11);
  let isBack = false;
  return ofJob(world, 'jobs', {
    meanwhile: async (isLost) => {
      const rows = await world.query(`update orgs set status = 'ACTIVE' where id = $1 returning id`, [gone.id]);
      isBack = rows.length > 0;
      if (isLost) await application.jobs.runDue();
      if (!isBack) return;
      // The rows are of tables that the deletion comes to early and late.
      await world.query(`insert into jobs (org_id, kind, payload, run_at) values ($1, 'kept', '{}', 'infinity')`, [
        gone.id,
      ]);
      await world.query(
        `insert into mail_outbox (org_id, id, kind, recipient, subject, sealed_body, created_at)
         values ($1, $2, 'kept', 'kept@example.com', 'S', '', $3)`,
        [gone.id, randomUUID(), world.org.now()],
      );
    },
    kept: ['orgs', 'users', 'mail_outbox', 'log_inputs', 'log_fresh', 'groups', 'policies'],
    after: async () => {
      world.count(isBack ? 'orgs that came back' : 'orgs that were erased');
      if (!isBack) {
        // The job deletes late rows when two minutes have passed.
        await world.pair.pass(130);
        await world.rest();
        expect(await world.query('select id from orgs where id = $1', [gone.id])).toEqual([]);
        expect(await world.query('select id from users where org_id = $1', [gone.id])).toEqual([]);
      }
      const told = await world.query(
        `select from log_unsealed where event_type = 'system.org.lifecycle.delete' and body like $1`,
        [`%${gone.id}%`],
      );
      expect(told.length).toBe(isBack ? 0 : 1);
    },
  });
};

/** The awake node gives the name of a removed attribute to a new one during the pause. */
const purge = async (world: PausedWorld): Promise<Act> => {
  const person = world.person(2);
  const name = `gone${randomUUID().slice(0, 8)}`;
  const give = async (value: string) => {
    await defineAttributes(world.org, { [name]: { title: 'T', type: 'string' } });
    const body = { profile: { [name]: value } };
    expect((await world.org.admin.post(userPath(person.id), { body })).status).toBe(200);
  };
  await give('old');
  const holder = await world.pair.database.pool.connect();
  await holder.query('begin');
  await holder.query('select from users where org_id = $1 and id = $2 for update', [world.org.id, person.id]);
  await defineAttributes(world.org, { [name]: null });
  await holder.query('rollback');
  holder.release();
  let isGivenAgain = false;
  const values = () =>
    world.query<{ value: string | null }>(`select profile ->> $3 as value from users where org_id = $1 and id = $2`, [
      world.org.id,
      person.id,
      name,
    ]);
  return ofJob(world, 'jobs', {
    meanwhile: async (isLost) => {
      if (!isLost) return;
      await world.rest();
      await give('new');
      isGivenAgain = true;
    },
    after: async () => {
      // A job that failed, or met a lock, runs again.
      await world.pair.pass(10);
      await world.rest();
      expect(await values()).toEqual([{ value: isGivenAgain ? 'new' : null }]);
      world.count(isGivenAgain ? 'names given again' : 'attributes purged');
      if (isGivenAgain) await defineAttributes(world.org, { [name]: null });
    },
  });
};

/** The acts, and the number of packets in which the late node does each of them. */
export const ACTS = {
  mail: { packets: 5, begin: mail },
  notice: { packets: 8, begin: notice },
  delivery: { packets: 11, begin: delivery },
  drain: { packets: 7, begin: drain },
  seal: { packets: 14, begin: seal },
  retain: { packets: 80, begin: retain },
  erase: { packets: 217, begin: erase },
  purge: { packets: 12, begin: purge },
} as const satisfies Readonly<
  Record<string, { readonly packets: number; readonly begin: (world: PausedWorld) => Promise<Act> }>
>;

export type ActName = keyof typeof ACTS;
