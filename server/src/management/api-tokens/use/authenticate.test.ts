import { describe, expect, test } from 'vitest';
import { wholeRole } from '../../../kernel/words/held-role.ts';
import { type OrgId, toOrgId } from '../../../kernel/words/ids.ts';
import { hashSecret } from '../../../platform/crypto/index.ts';
import type { CacheKey } from '../../../platform/postgres/index.ts';
import { expiryOf } from '../rules.ts';
import type { TokenOwner } from '../store.ts';
import { authenticateApiToken } from './authenticate.ts';
import { createLastUsedWriter } from './last-used-writer.ts';
import { ANYWHERE, readNetwork } from './network-rules.ts';

const orgId = toOrgId('00oone');
const value = `00${'a'.repeat(40)}`;
const used = new Date('2026-11-01T00:00:00.000Z');
const now = new Date('2026-11-20T12:00:00.000Z');

const owner: TokenOwner = {
  tokenId: '00Ta',
  name: 'collector',
  network: ANYWHERE,
  lastUsedAt: used,
  userId: '00ua',
  status: 'ACTIVE',
  login: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'Lovelace',
  roles: [wholeRole('ORG_ADMIN')],
};

function setUp(found: TokenOwner | null = owner) {
  const asked: CacheKey[] = [];
  const located: string[] = [];
  const lastUsed = createLastUsedWriter(async () => undefined);
  const ports = {
    lastUsed,
    owners: {
      get: async (key: CacheKey) => {
        asked.push(key);
        return found;
      },
      drop: () => undefined,
    },
    zoneIdsAt: async (_orgId: OrgId, address: string) => {
      located.push(address);
      return address.startsWith('10.') ? ['office'] : [];
    },
  };
  const authenticate = (at = now, authorization = `SSWS ${value}`, clientAddress: string | null = '192.0.2.1') =>
    authenticateApiToken(ports, orgId, { authorization, clientAddress }, at);
  return { asked, authenticate, lastUsed, located };
}

describe('authenticateApiToken', () => {
  test('says who the owner is, and which roles the owner has', async () => {
    const { asked, authenticate } = setUp();
    expect(await authenticate()).toEqual({
      principal: { kind: 'apiToken', tokenId: '00Ta', userId: '00ua' },
      actor: { id: '00ua', type: 'User', alternateId: 'ada@example.com', displayName: 'Ada Lovelace' },
      roles: owner.roles,
      scopes: null,
    });
    expect(asked).toEqual([{ orgId, kind: 'apiToken', id: hashSecret(value).toString('hex') }]);
  });

  test('an owner without a name is called by the login', async () => {
    const { authenticate } = setUp({ ...owner, firstName: null, lastName: '' });
    expect((await authenticate())?.actor.displayName).toBe('ada@example.com');
  });

  test('asks nothing for what is no token', async () => {
    const { asked, authenticate } = setUp();
    expect(await authenticate(now, 'Bearer undefined')).toBeNull();
    expect(asked).toEqual([]);
  });

  test('refuses an unknown token', async () => {
    expect(await setUp(null).authenticate()).toBeNull();
  });

  test.each(['STAGED', 'SUSPENDED', 'DEPROVISIONED'] as const)(
    'refuses the token of a user who is %s',
    async (status) => {
      const { authenticate, lastUsed } = setUp({ ...owner, status });
      expect(await authenticate()).toBeNull();
      expect(lastUsed.waiting(orgId, '00Ta')).toBeNull();
    },
  );

  test.each(['LOCKED_OUT', 'PASSWORD_EXPIRED', 'RECOVERY', 'PROVISIONED'] as const)(
    'takes that of one %s',
    async (status) => {
      expect(await setUp({ ...owner, status }).authenticate()).not.toBeNull();
    },
  );

  test('holds until the instant of its expiry', async () => {
    const expiry = expiryOf(used);
    expect(await setUp().authenticate(new Date(expiry.getTime() - 1))).not.toBeNull();
    expect(await setUp().authenticate(expiry)).toBeNull();
  });

  test('a use that waits to be written counts', async () => {
    const { authenticate } = setUp();
    const expiry = expiryOf(used);
    await authenticate(new Date(expiry.getTime() - 1));
    expect(await authenticate(new Date(expiry.getTime() + 1_000))).not.toBeNull();
  });

  describe('from its network', () => {
    const held = { ...owner, network: readNetwork({ connection: 'ZONE', include: ['office'] }) };
    const from = (address: string | null, found: TokenOwner) => {
      const { authenticate, ...seen } = setUp(found);
      return { ...seen, result: authenticate(now, `SSWS ${value}`, address) };
    };

    test('nobody is looked for who may come from anywhere', async () => {
      const { located, result } = from('203.0.113.1', owner);
      expect(await result).toHaveProperty('principal');
      expect(located).toEqual([]);
    });

    test('it is taken', async () => {
      expect(await from('10.0.0.1', held).result).toHaveProperty('principal');
    });

    test.each(['203.0.113.1', null])('it is refused from %s, and no use is noted', async (address) => {
      const { lastUsed, result } = from(address, held);
      expect(await result).toEqual({
        outsideNetwork: { id: '00Ta', name: 'collector' },
        actor: expect.objectContaining({ id: '00ua' }),
      });
      expect(lastUsed.waiting(orgId, '00Ta')).toBeNull();
    });
  });
});
