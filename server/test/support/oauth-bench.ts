import { CONSTRAINT_ERRORS } from '../../src/app/constraints.ts';
import type { Context } from '../../src/kernel/context.ts';
import { type OrgId, randomAlphanumeric } from '../../src/kernel/words/ids.ts';
import { namespaceOf } from '../../src/kernel/words/namespace.ts';
import { compileAppSignOn } from '../../src/management/policies/types/app-sign-on-rules.ts';
import { newAccessTokenId } from '../../src/oauth/access-tokens/access-token-id.ts';
import { createAccessTokens, type MintedToken, type NewAccessToken } from '../../src/oauth/access-tokens/mint.ts';
import { createTokenVerifier, type TokenVerifier } from '../../src/oauth/access-tokens/verify.ts';
import { createSigningKeys, type SigningKeys, signingKeyJobs } from '../../src/oauth/keys/index.ts';
import { type MasterKey, masterKeyOf } from '../../src/platform/crypto/index.ts';
import { createJobRunner, type JobRunner } from '../../src/platform/jobs/index.ts';
import { createUnitOfWork } from '../../src/platform/postgres/index.ts';
import {
  createInputMaker,
  createOutboxStatement,
  type NewEvent,
  systemContext,
  type Work,
} from '../../src/system-log/index.ts';
import type { TestDatabase } from './database.ts';
import { makeTestKeyPair } from './made-keys.ts';
import { LogBench, type TestClock } from './system-log.ts';

export const ISSUER = 'https://acme.localhost:8443';
const namespace = namespaceOf('svc');

export interface TokenProcess {
  readonly signingKeys: SigningKeys;
  readonly verifier: TokenVerifier;
  readonly jobs: JobRunner;
  readonly mint: (more?: Partial<NewAccessToken>) => Promise<MintedToken>;
}

export interface TestApp {
  readonly id: string;
  readonly grant: (scope: string) => Promise<void>;
  readonly run: (change: string) => Promise<void>;
}

export class OAuthBench {
  readonly database: TestDatabase;
  readonly clock: TestClock;
  readonly log: LogBench;
  readonly work: Work;
  readonly masterKey = masterKeyOf(Buffer.alloc(32, 7));
  readonly makeKeyPair = makeTestKeyPair;

  constructor(database: TestDatabase, clock: TestClock) {
    this.database = database;
    this.clock = clock;
    this.log = new LogBench(database.pool, clock);
    this.work = createUnitOfWork<NewEvent>({
      pool: database.pool,
      constraints: CONSTRAINT_ERRORS,
      reactions: {},
      outbox: createOutboxStatement(createInputMaker()),
      committed: () => undefined,
    });
  }

  advance(milliseconds: number): void {
    this.clock.set(new Date(this.clock.now().getTime() + milliseconds));
  }

  contextOf(orgId: OrgId): Context {
    return systemContext({ orgId, namespace, name: 'test', now: this.clock.now() });
  }

  process(orgId: OrgId, masterKey: MasterKey = this.masterKey): TokenProcess {
    const { clock, work } = this;
    const { db } = this.database;
    const ports = { db, work, clock, makeKeyPair: this.makeKeyPair, masterKey, namespace };
    const signingKeys = createSigningKeys(ports);
    const tokens = createAccessTokens({ signingKeys, namespace });
    return {
      signingKeys,
      verifier: createTokenVerifier({
        appSignOn: async () => compileAppSignOn([], ''),
        db,
        clock,
        namespace,
        signingKeys,
        isIssuerOrigin: (_, origin) => origin === ISSUER,
      }),
      jobs: createJobRunner({ db, clock, kinds: signingKeyJobs(ports) }),
      mint: (more = {}) => {
        const issuedAt = clock.now();
        const own = { jti: newAccessTokenId(issuedAt), issuedAt, issuer: ISSUER, scopes: ['users.read'] };
        return tokens.mint({ orgId, ...own, subject: '0oaclient', clientId: '0oaclient', ...more });
      },
    };
  }

  /**
   * Stores a service app with grants of these scopes and with these roles. Tokens issued at the clock's current time or
   * later are valid.
   */
  async newApp(orgId: OrgId, scopes: readonly string[], roles: readonly string[] = []): Promise<TestApp> {
    const id = `0oa${randomAlphanumeric(17)}`;
    const now = this.clock.now();
    await this.log.query(
      `insert into apps (org_id, id, label, status, sign_on_mode, application_type, document, created_at,
         last_updated_at, valid_after)
       values ($1, $2, 'Collector', 'ACTIVE', 'OPENID_CONNECT', 'service', '{}', $3, $3, $3)`,
      [orgId, id, new Date(now.getTime() - 1)],
    );
    const grant = async (scope: string): Promise<void> => {
      await this.log.query(
        `insert into app_grants (org_id, app_id, id, scope, created_at, created_by, created_by_type, last_updated_at)
         values ($1, $2, $3, $4, $5, 'test', 'User', $5)`,
        [orgId, id, randomAlphanumeric(20), scope, now],
      );
    };
    for (const scope of scopes) await grant(scope);
    for (const role of roles) {
      await this.log.query(
        `insert into client_role_assignments (org_id, client_id, id, role_type, created_at, last_updated_at)
         values ($1, $2, $3, $4, $5, $5)`,
        [orgId, id, randomAlphanumeric(20), role, now],
      );
    }
    const run = async (change: string): Promise<void> => {
      await this.log.query(change, [orgId, id]);
    };
    return { id, grant, run };
  }
}
