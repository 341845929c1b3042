import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect } from 'node:tls';
import { expect, test } from 'vitest';
import { rawConnection, requestText, secureTarget } from '../support/raw-connection.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();

const CONNECTIONS = 20;
const REQUESTS = 200;

async function ask(bytes: string) {
  const { ca, hostname, port } = secureTarget(service, org);
  const socket = connect({ host: '127.0.0.1', port, ca: ca ?? '', servername: hostname });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  socket.write(bytes);
  await once(socket, 'readable');
  return socket;
}

function watchUnderWay() {
  const counts = new Map<unknown, number>();
  let most = 0;
  const count = (by: number) => (message: unknown) => {
    const socket: unknown = Reflect.get(Object(message), 'socket');
    const underWay = (counts.get(socket) ?? 0) + by;
    counts.set(socket, underWay);
    most = Math.max(most, underWay);
  };
  const channels = [
    ['http.server.request.start', count(1)],
    ['http.server.response.finish', count(-1)],
  ] as const;
  for (const [name, hear] of channels) subscribe(name, hear);
  return {
    most: () => most,
    end: () => {
      for (const [name, hear] of channels) unsubscribe(name, hear);
    },
  };
}

test('of 4,000 requests at once eight a connection are under way, and nobody else is held up', async () => {
  const watch = watchUnderWay();
  const bytes = requestText(org, 'GET /signin').repeat(REQUESTS);
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => ask(bytes)));
  expect(await org.admin.get('/api/v1/users?limit=1')).toMatchObject({ status: 200 });
  for (const socket of sockets) socket.destroy();
  watch.end();
  expect(watch.most()).toBeGreaterThan(0);
  expect(watch.most()).toBeLessThanOrEqual(8);
});

test('requests sent without waiting are answered one after the other, each with its own answer', async () => {
  const { id } = await org.createUser();
  const token = [`Authorization: SSWS ${org.adminToken}`];
  const paths = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? '/api/v1/org' : `/api/v1/users/${id}`));
  const connection = rawConnection(secureTarget(service, org));
  connection.send(paths.map((path) => requestText(org, `GET ${path}`, token)).join(''));
  const answers = await connection.answers(paths.length);
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
  expect(answers.map(({ body }) => body)).toMatchObject(paths.map((_, at) => ({ id: at % 2 === 0 ? org.id : id })));
  connection.destroy();
});
