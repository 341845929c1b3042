import { HOOKS, newHook } from '../support/hook-receiver.ts';
import type { Use } from './asking.ts';

/** Uses the routes of event hooks. The target of the hooks must repeat the challenge. */
export async function useEventHookRoutes({ ask }: Use): Promise<void> {
  const body = newHook('https://hooks.example/in');
  const path = `${HOOKS}/${(await ask('POST', HOOKS, body)).id}`;
  await ask('GET', HOOKS);
  await ask('GET', path);
  await ask('PUT', path, { ...body, name: 'used' });
  await ask('POST', `${path}/lifecycle/verify`);
  await ask('GET', `${path}/delivery`);
  await ask('POST', `${path}/lifecycle/replay`, { position: 1 });
  for (const list of ['deliveries', 'deadLetters']) await ask('GET', `${path}/${list}`);
  for (const action of ['deactivate', 'activate', 'deactivate']) await ask('POST', `${path}/lifecycle/${action}`);
  await ask('DELETE', path);
}
