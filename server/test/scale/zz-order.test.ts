import { test } from 'vitest';
import { Session } from '../../src/platform/postgres/transaction-session.ts';
import { Gathering, shareTransaction } from '../../src/platform/postgres/shared-transaction.ts';
import { lockUser } from '../../src/management/users/records/guards.ts';
import { rolesOfUser } from '../../src/management/roles/index.ts';

test('order', async () => {
  for (const shared of [false, true]) {
    const names: string[] = [];
    const packets: any = { send: async (c: any) => { names.push(c.name ?? c.text); return { command: 'SELECT', rowCount: 0, rows: [] }; } };
    const gathering = new Gathering(new Session(packets).tx);
    const runs = ['00uA', '00uB'].map((id) => {
      const s = new Session(packets);
      if (shared) shareTransaction(s.tx, gathering);
      const context: any = { orgId: 'o', principal: { kind: 'user', userId: 'x' }, roles: [] };
      return lockUser({ rolesOf: rolesOfUser } as any, s.tx, context, { kind: 'all' } as any, id).catch((e: any) => e.constructor.name);
    });
    if (shared) gathering.startCalls();
    console.log(shared, await Promise.all(runs), names);
  }
});
