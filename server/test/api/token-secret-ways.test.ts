import { describe, expect, test } from 'vitest';
import { APPS, createApp, webApp } from '../support/apps.ts';
import { postForm } from '../support/service-apps.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService({ isShared: false });

interface SecretClient {
  readonly id: string;
  readonly secret: string;
}

async function newClient(method?: string): Promise<SecretClient> {
  const credentials = method === undefined ? {} : { token_endpoint_auth_method: method };
  const { client_id: id, client_secret: secret } = (await createApp(org, webApp({}, credentials))).credentials
    .oauthClient;
  return { id, secret };
}

const basic = ({ id, secret }: SecretClient, scheme = 'Basic') => ({
  authorization: `${scheme} ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});
const inBody = ({ id, secret }: SecretClient) => ({ client_id: id, client_secret: secret });
const introspect = (form: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) =>
  postForm(org.anonymous, '/oauth2/v1/introspect', { token: 'none', ...form }, { headers });

async function waysOf(client: SecretClient): Promise<string[]> {
  // Cached data about a client may be up to one second old.
  service.clock.advance(1_100);
  const [header, body] = [await introspect({}, basic(client)), await introspect(inBody(client))];
  for (const { status } of [header, body]) expect([200, 401]).toContain(status);
  return [...(header.status === 200 ? ['header'] : []), ...(body.status === 200 ? ['body'] : [])];
}

const METHOD = 'token_endpoint_auth_method';

describe('a client whose method nobody chose', () => {
  test('sends its secret in the header or in the body, never both, never another, never none', async () => {
    const client = await newClient();
    expect(await waysOf(client)).toEqual(['header', 'body']);
    const wrong = { ...client, secret: 'wrong' };
    const refused = [
      await introspect({}, basic(wrong)),
      await introspect(inBody(wrong)),
      await introspect({ client_id: client.id }),
      await introspect(inBody(client), basic(client)),
    ];
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect(refused[3]?.body.error).toBe('invalid_request');
  });

  test('is shown with the default, which is no choice when it comes back', async () => {
    const client = await newClient();
    const { body } = await org.admin.get(`${APPS}/${client.id}`);
    expect(body.credentials.oauthClient[METHOD]).toBe('client_secret_basic');
    expect(body.credentials.oauthClient).not.toHaveProperty('takesSecretEitherWay');
    expect((await org.admin.put(`${APPS}/${client.id}`, { body })).status).toBe(200);
    expect(await waysOf(client)).toEqual(['header', 'body']);
  });

  test('sends it as another method says from the moment that one is chosen, and so on', async () => {
    const client = await newClient();
    const { body } = await org.admin.get(`${APPS}/${client.id}`);
    const choose = async (method: string) => {
      body.credentials.oauthClient[METHOD] = method;
      expect((await org.admin.put(`${APPS}/${client.id}`, { body })).status).toBe(200);
    };
    await choose('client_secret_post');
    expect(await waysOf(client)).toEqual(['body']);
    await choose('client_secret_basic');
    expect(await waysOf(client)).toEqual(['header']);
  });

  test('cannot choose both ways by the name under which it is kept', async () => {
    const credentials = { [METHOD]: 'client_secret_basic', takesSecretEitherWay: true };
    const { status, body } = await org.admin.post(APPS, { body: webApp({}, credentials) });
    if (status !== 200) return expect(status).toBe(400);
    const { client_id: id, client_secret: secret } = body.credentials.oauthClient;
    expect(await waysOf({ id, secret })).toEqual(['header']);
  });
});

describe('a client whose method was chosen', () => {
  test.each([
    ['client_secret_basic', ['header']],
    ['client_secret_post', ['body']],
  ])('%s sends its secret that way alone', async (method, ways) => {
    expect(await waysOf(await newClient(method))).toEqual(ways);
  });

  test('or that was made before the difference was kept, sends it as it is shown', async () => {
    const client = await newClient();
    const text = `update apps set document = document #- '{credentials,oauthClient,takesSecretEitherWay}'
      where org_id = $1 and id = $2`;
    await service.database.pool.query(text, [org.id, client.id]);
    expect(await waysOf(client)).toEqual(['header']);
  });
});

test.each(['Basic:', 'basic:'])('the scheme may be written %s', async (scheme) => {
  const client = await newClient();
  expect((await introspect({}, basic(client, scheme))).status).toBe(200);
  expect((await introspect({}, basic({ ...client, secret: 'wrong' }, scheme))).status).toBe(401);
});
