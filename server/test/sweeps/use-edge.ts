import type { Use } from './asking.ts';

/** Causes the events of refusals at the edge, and runs work that no request starts. */
export async function useEdge({ ask, org, service }: Use): Promise<void> {
  const { edgeEvents, housekeeping } = service.application;
  await org.client({ authorization: `SSWS 00${'x'.repeat(40)}` }).get('/api/v1/users');
  await org.client({ authorization: 'Bearer x.y.z' }).get('/api/v1/users');
  await org.client({ cookie: `sid=102${'x'.repeat(22)}` }).get('/api/v1/users');
  await (await org.withRoles()).get('/api/v1/zones');
  await org.client({ origin: 'https://elsewhere.example' }).get('/api/v1/users');
  const gateways = [{ type: 'CIDR', value: '127.0.0.0/8' }];
  const blocked = await service.newOrg();
  await blocked.admin.post('/api/v1/zones', {
    body: { type: 'IP', name: 'everybody', usage: 'BLOCKLIST', gateways },
  });
  await blocked.admin.get('/api/v1/users');
  await edgeEvents.flush(true);
  await housekeeping.mergeLimits();
  await housekeeping.sweep();
  await service.drained();
  await ask('GET', '/api/v1/logs?limit=1');
}
