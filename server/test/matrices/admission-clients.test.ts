import { expect, test } from 'vitest';
import { ADMISSION_PATHS } from '../../src/access/admission.ts';
import { APPS } from '../support/apps.ts';
import type { TestResponse } from '../support/client.ts';
import { expectOfEvery } from '../support/offenders.ts';
import { useService } from '../support/use-service.ts';
import {
  CLIENT_WAYS,
  type ClientWay,
  type HeldByClient,
  INACTIVE,
  NOT_A_SERVICE,
  NOT_GRANTED,
  unknownClient,
  wrongProof,
} from './admission-client-ways.ts';
import type { ClientPath, Refusal } from './admission-ways.ts';

/**
 * This file tests whether each way still admits a client after each change to the client (ADR 0015; attack 46 in
 * docs/security-rows.md).
 */
const { service, org } = useService({ isShared: false });

type Path = ClientPath;

const good = async (answer: Promise<TestResponse>): Promise<TestResponse['body']> => {
  const { body, status, text } = await answer;
  if (status >= 300) throw new Error(`refused: ${text}`);
  return body;
};

const lifecycle = (path: string, operation: string) => good(org.admin.post(`${path}/lifecycle/${operation}`));

interface Change {
  readonly name: string;
  readonly ways?: (way: ClientWay) => boolean;
  readonly apply: (held: HeldByClient) => Promise<unknown>;
  readonly refusal: (path: Path, way: ClientWay) => Refusal | null;
}

const inactive = (_path: Path, { provesItself, tokenRefusal }: ClientWay): Refusal | null =>
  provesItself ? INACTIVE : tokenRefusal;

const voided = (_path: Path, { tokenRefusal }: ClientWay): Refusal | null => tokenRefusal;

const withoutProof = (_path: Path, { proof, provesItself }: ClientWay): Refusal | null =>
  provesItself ? wrongProof(proof) : null;

const changeRow =
  (change: string) =>
  ({ appId }: HeldByClient) =>
    service.database.pool.query(`update apps set ${change} where org_id = $1 and id = $2`, [org.id, appId]);

const ofType = (applicationType: string): Change => ({
  name: `as a ${applicationType} client`,
  apply: changeRow(`application_type = '${applicationType}'`),
  refusal: (path, { tokenRefusal }) => {
    const { client }: { readonly client: readonly string[] } = ADMISSION_PATHS[path];
    const refusal = path === 'clientCredentials' ? NOT_A_SERVICE : INACTIVE;
    return client.includes(applicationType) ? null : (tokenRefusal ?? refusal);
  },
});

async function revokeGrant({ appId }: HeldByClient): Promise<void> {
  const grants = `${APPS}/${appId}/grants`;
  const [grant] = await good(org.admin.get(grants));
  await good(org.admin.del(`${grants}/${grant.id}`));
}

async function deactivateKey({ appId, kid }: HeldByClient): Promise<void> {
  const keys = `${APPS}/${appId}/credentials/jwks`;
  const key = (await good(org.admin.get(keys))).find((one: { kid: string }) => one.kid === kid);
  await lifecycle(`${keys}/${key.id}`, 'deactivate');
}

async function deactivateSecret({ appId }: HeldByClient): Promise<void> {
  const secrets = `${APPS}/${appId}/credentials/secrets`;
  const [secret] = await good(org.admin.get(secrets));
  // A client's only active secret cannot be deactivated, so the client gets another one.
  await good(org.admin.post(secrets, { body: {} }));
  await lifecycle(`${secrets}/${secret.id}`, 'deactivate');
}

const CHANGES: readonly Change[] = [
  ...['service', 'web', 'native', 'browser'].map(ofType),
  { name: 'that is inactive in its row', apply: changeRow("status = 'INACTIVE'"), refusal: inactive },
  { name: 'from before its watermark', apply: changeRow('valid_after = clock_timestamp()'), refusal: voided },
  { name: 'after deactivate', apply: ({ appId }) => lifecycle(`${APPS}/${appId}`, 'deactivate'), refusal: inactive },
  {
    name: 'after deactivate and activate',
    apply: async ({ appId }) => {
      for (const operation of ['deactivate', 'activate']) await lifecycle(`${APPS}/${appId}`, operation);
    },
    refusal: voided,
  },
  {
    name: 'after delete',
    apply: async ({ appId }) => {
      await lifecycle(`${APPS}/${appId}`, 'deactivate');
      await good(org.admin.del(`${APPS}/${appId}`));
    },
    refusal: (_path, { proof, provesItself, tokenRefusal }) => (provesItself ? unknownClient(proof) : tokenRefusal),
  },
  {
    name: 'after its grant was revoked',
    ways: ({ proof }) => proof === 'private_key_jwt',
    apply: revokeGrant,
    refusal: (path, { tokenRefusal }) => (path === 'clientCredentials' ? NOT_GRANTED : tokenRefusal),
  },
  {
    name: 'after its grant was revoked and given again',
    ways: ({ proof }) => proof === 'private_key_jwt',
    apply: async (held) => {
      await revokeGrant(held);
      const body = { issuer: org.baseUrl, scopeId: 'svc.users.read' };
      await good(org.admin.post(`${APPS}/${held.appId}/grants`, { body }));
    },
    refusal: voided,
  },
  {
    name: 'after its key was deactivated',
    ways: ({ proof }) => proof === 'private_key_jwt',
    apply: deactivateKey,
    refusal: withoutProof,
  },
  {
    name: 'after its secret was deactivated',
    ways: ({ proof }) => proof.startsWith('client_secret'),
    apply: deactivateSecret,
    refusal: withoutProof,
  },
];

interface WayIn {
  readonly path: Path;
  readonly way: ClientWay;
}

const ways: readonly WayIn[] = Object.entries(CLIENT_WAYS).flatMap(([path, list]) =>
  list.map((way) => ({ path: path as Path, way })),
);

const changed = ways.flatMap((one) =>
  CHANGES.filter((change) => change.ways?.(one.way) ?? true).map((change) => ({ ...one, change })),
);

const nameOfWay = ({ path, way }: WayIn): string => `${path}, by ${way.name}`;
const LONG = 600_000;

test('every way of a client to which nothing happened', { timeout: LONG }, () =>
  expectOfEvery({ rows: ways, nameOf: nameOfWay, atLeast: 27, atOnce: 1 }, async ({ way }) => {
    const { attempt } = await way.hold({ service, org });
    service.clock.advance(1_100);
    const answer = await attempt();
    expect({ isIn: way.isIn(answer), text: answer.text }).toEqual({ isIn: true, text: answer.text });
  }),
);

test('every way of a client after every change', { timeout: LONG }, () => {
  const nameOf = (one: (typeof changed)[number]) => `${nameOfWay(one)}, of a client ${one.change.name}`;
  return expectOfEvery({ rows: changed, nameOf, atLeast: 285, atOnce: 1 }, async ({ change, path, way }) => {
    const held = await way.hold({ service, org });
    await change.apply(held);
    // Cached data may be a second old.
    service.clock.advance(1_100);
    const refusal = change.refusal(path, way);
    const answer = await held.attempt();
    const { body, status, text } = answer;
    expect({ isIn: way.isIn(answer), text }).toEqual({ isIn: refusal === null, text });
    if (refusal === null) return;
    expect({ status, body }).toMatchObject(refusal);
    expect(text).not.toMatch(/access_token/);
  });
});
