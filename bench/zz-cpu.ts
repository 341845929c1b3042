import { readdirSync, readFileSync } from 'node:fs';
import { requestBytes } from './connection.ts';
import { pinGenerator } from './cores.ts';
import { withArena } from './duel.ts';
import { authorizationOf, newUserBody, seedUsers } from './gatehouse.ts';
import { closedLoop } from './load.ts';
import { updaters } from './rows/users.ts';
import { QUICK } from './sizes.ts';

pinGenerator();
const prof = process.argv[3];
const options = { sizes: { ...QUICK, users: 500 }, plain: process.argv[2] === 'plain', profileDirectory: prof };
function cpu() {
  const m: Record<string, [number, number, string]> = {};
  for (const p of readdirSync('/proc')) {
    if (!/^\d+$/.test(p)) continue;
    try {
      const st = readFileSync(`/proc/${p}/stat`, 'utf8');
      const f = st.slice(st.lastIndexOf(')') + 2).split(' ');
      m[p] = [Number(f[11]), Number(f[12]), readFileSync(`/proc/${p}/cmdline`, 'utf8').replace(/\0/g, ' ')];
    } catch {}
  }
  return m;
}
await withArena(options, async (arena) => {
  const { gatehouse, peer } = arena;
  const users = await seedUsers(gatehouse, 500);
  const H = authorizationOf(gatehouse.token);
  const cyc = (reqs: Buffer[]) => (i: number) => {
    let n = i * 31;
    return { request: () => reqs[n++ % reqs.length] as Buffer };
  };
  const ups = updaters(arena, users, 16);
  const cases: [string, () => Promise<{ perSecond: number }>][] = [];
  const run = (ep: typeof peer.endpoint, caller: never) =>
    closedLoop(ep, { connections: Number(process.env['CONNS'] ?? 16), warmupSeconds: 0, seconds: 12, caller });
  cases.push([
    'peer read',
    () =>
      run(
        peer.endpoint,
        cyc(users.map((u) => requestBytes(peer.endpoint, 'GET', `/select/${gatehouse.orgId}/${u.id}`))) as never,
      ),
  ]);
  cases.push([
    'ours read',
    () =>
      run(
        gatehouse.endpoint,
        cyc(users.map((u) => requestBytes(gatehouse.endpoint, 'GET', `/api/v1/users/${u.id}`, H))) as never,
      ),
  ]);
  cases.push([
    'peer tx',
    () =>
      run(peer.endpoint, (() => ({
        request: () => requestBytes(peer.endpoint, 'POST', `/transaction/${gatehouse.orgId}`, {}, newUserBody()),
      })) as never),
  ]);
  cases.push(['ours update', () => run(gatehouse.endpoint, ((i: number) => ups[i]) as never)]);
  cases.push([
    'ours create',
    () =>
      run(gatehouse.endpoint, (() => ({
        request: () => requestBytes(gatehouse.endpoint, 'POST', '/api/v1/users?activate=false', H, newUserBody()),
      })) as never),
  ]);
  const only = process.env['ONLY'];
  if (only !== undefined) cases.splice(0, cases.length, ...cases.filter(([n]) => n === only));
  for (const [, go] of cases) await go();
  for (const [name, go] of cases) {
    const pids = (await gatehouse.pool.query('select pid, application_name a, backend_type b from pg_stat_activity'))
      .rows;
    const c0 = cpu();
    const load = await go();
    const c1 = cpu();
    const count = load.perSecond * 12;
    const agg: Record<string, [number, number]> = {};
    for (const [p, v] of Object.entries(c1)) {
      const row = pids.find((r) => String(r.pid) === p);
      const label =
        row !== undefined
          ? row.a || row.b
          : /dist\/main/.test(v[2])
            ? 'NODE'
            : /peer-program/.test(v[2])
              ? 'PEER'
              : null;
      if (label === null) continue;
      const o = c0[p] ?? [0, 0];
      const g = (agg[label] ??= [0, 0]);
      g[0] += v[0] - o[0];
      g[1] += v[1] - o[1];
    }
    console.log(
      name,
      Math.round(load.perSecond),
      Object.entries(agg)
        .filter(([, [u, s]]) => u + s > 4)
        .map(([k, [u, s]]) => `${k} ${((u * 10000) / count).toFixed(0)}+${((s * 10000) / count).toFixed(0)}us`)
        .join('  '),
    );
  }
});
process.exit(0);
