import { type Arena, duelRow, loopsOf } from '../duel.ts';
import { authorizationOf } from '../gatehouse.ts';
import { ask } from '../requests.ts';
import { protocolOf } from '../row.ts';
import { transacting } from './callers.ts';
import { creating } from './users.ts';

/** The number of active rules. One rule in `MATCHING` matches the created users. */
const RULES = 50;
const MATCHING = 10;

async function createActiveRules({ gatehouse }: Arena): Promise<void> {
  const { endpoint, token } = gatehouse;
  const headers = authorizationOf(token);
  for (let index = 0; index < RULES; index += 1) {
    const group = (await ask(endpoint, 'POST', '/api/v1/groups', headers, {
      profile: { name: `bench ${index}` },
    })) as { id: string };
    const department = index % MATCHING === 0 ? 'Engines' : `Department ${index}`;
    const rule = (await ask(endpoint, 'POST', '/api/v1/groups/rules', headers, {
      type: 'group_rule',
      name: `bench ${index}`,
      conditions: { expression: { type: 'urn:svc:expression:1.0', value: `user.department == "${department}"` } },
      actions: { assignUserToGroups: { groupIds: [group.id] } },
    })) as { id: string };
    await ask(endpoint, 'POST', `/api/v1/groups/rules/${rule.id}/lifecycle/activate`, headers, {});
  }
}

/**
 * This row measures the creation of users in an org with active group rules, which are evaluated in the same
 * transaction.
 */
export const groupRules = duelRow({
  name: 'group-rules',
  settings: protocolOf,
  prepare: async (arena, options) => {
    await createActiveRules(arena);
    const loops = loopsOf(arena, options);
    return {
      contests: [
        {
          work: `create user with ${RULES} active group rules, of which ${RULES / MATCHING} match`,
          gatehouse: loops.gatehouse(() => creating(arena, false)),
          besides: [
            {
              name: 'bare Fastify + begin, select, insert, 0.5 kB row, commit',
              bound: null,
              measure: loops.peer(() => transacting(arena, 'logged-transaction')),
            },
          ],
        },
      ],
    };
  },
});
