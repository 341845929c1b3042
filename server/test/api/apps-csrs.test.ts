import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { newSamlApp } from '../support/app-kinds.ts';
import { APPS, createApp, invalidField } from '../support/apps.ts';
import { certify, keyOfRequest, toPem } from '../support/certificates.ts';
import { useService } from '../support/use-service.ts';

const { service, org } = useService();
let app: { id: string; credentials: { signing: { kid: string } } };

beforeAll(async () => {
  app = await createApp(org, newSamlApp());
});

const NOT_FOUND = { status: 404, body: { errorCode: 'E0000007' } };
const SUBJECT = { countryName: 'DE', organizationName: 'Acme & Sons', commonName: 'acme.example' };
const csrs = (): string => `${APPS}/${app.id}/credentials/csrs`;
const keys = (): string => `${APPS}/${app.id}/credentials/keys`;

async function newCsr(given: object = {}) {
  const response = await org.admin.post(csrs(), { body: { subject: SUBJECT, ...given } });
  expect(response.status, response.text).toBe(201);
  return response.body;
}

const keyOf = ({ csr }: { csr: string }) => keyOfRequest(csr);
const certified = (csr: { csr: string }, days?: number) => certify(keyOf(csr), org.now(), days);

const publish = (id: string, raw: string | Buffer, type = 'application/x-pem-file', headers = {}) =>
  org.admin.post(`${csrs()}/${id}/lifecycle/publish`, { raw, headers: { 'content-type': type, ...headers } });

describe('requests for certificates', () => {
  test('are signed by a new key, wait beside the keys, and are revoked', async () => {
    const csr = await newCsr({ subjectAltNames: { dnsNames: ['dev.acme.example'] } });
    const { e, n } = keyOf(csr).export({ format: 'jwk' });
    expect([typeof e, typeof n]).toEqual(['string', 'string']);
    expect(Buffer.from(csr.csr, 'base64').includes('dev.acme.example')).toBe(true);
    expect(Buffer.from(csr.csr, 'base64').includes('Acme & Sons')).toBe(true);
    const address = `${org.baseUrl}${csrs()}/${csr.id}`;
    expect(csr).toEqual({
      id: expect.stringMatching(/^[\w-]{43}$/),
      created: expect.stringMatching(/\.000Z$/),
      csr: expect.any(String),
      kty: 'RSA',
      _links: {
        self: { href: address, hints: { allow: ['GET', 'DELETE'] } },
        publish: { href: `${address}/lifecycle/publish`, hints: { allow: ['POST'] } },
      },
    });
    expect((await org.admin.get(csrs())).body).toContainEqual(csr);
    expect((await org.admin.get(`${csrs()}/${csr.id}`)).body).toEqual(csr);
    expect((await org.admin.get(keys())).body).toHaveLength(1);
    expect((await org.admin.del(`${csrs()}/${csr.id}`)).status).toBe(204);
    for (const again of [await org.admin.del(`${csrs()}/${csr.id}`), await org.admin.get(`${csrs()}/${csr.id}`)]) {
      expect(again).toMatchObject(NOT_FOUND);
    }
    const events = await org.systemLog('eventType sw "app.app_instance.csr"');
    expect(events.map(({ eventType }) => eventType)).toEqual([
      'app.app_instance.csr.generate',
      'app.app_instance.csr.revoke',
    ]);
  });

  test.each(['United States', 'Österreich', 'x'.repeat(128)])(
    'take the country %s by its name',
    async (countryName) => {
      const csr = await newCsr({ subject: { ...SUBJECT, countryName } });
      expect(Buffer.from(csr.csr, 'base64').includes(countryName)).toBe(true);
      // This call throws if the certificate request cannot be parsed.
      keyOf(csr);
      await org.admin.del(`${csrs()}/${csr.id}`);
    },
  );

  test('come as base64 of PKCS #10 to whoever asks for it by name', async () => {
    const headers = { accept: 'application/pkcs10' };
    const made = await org.admin.post(csrs(), { body: { subject: SUBJECT }, headers });
    expect(made.status).toBe(201);
    expect(made.headers['content-type']).toContain('application/pkcs10');
    keyOf({ csr: made.text });
    const [last] = (await org.admin.get(csrs())).body.slice(-1);
    const read = await org.admin.get(`${csrs()}/${last.id}`, { headers });
    expect(read.text).toBe(last.csr);
    expect((await org.admin.get(`${csrs()}/${last.id}`, { headers: { accept: 'text/csv' } })).status).toBe(406);
  });

  test.each([
    ['subject', {}],
    ['subject', { subject: {} }],
    ['subject', { subject: { commonName: null } }],
    ['subject.countryName', { subject: { countryName: 'x'.repeat(129) } }],
    ['subject.commonName', { subject: { commonName: 'x'.repeat(65) } }],
    ['subject.commonName', { subject: { commonName: 'a\nb' } }],
    ['subjectAltNames.dnsNames.0', { subject: SUBJECT, subjectAltNames: { dnsNames: ['a b'] } }],
  ])('refuse %s: %j', async (field, body) => {
    const before = (await org.admin.get(csrs())).body.length;
    expect(await org.admin.post(csrs(), { body })).toMatchObject(invalidField(field));
    expect((await org.admin.get(csrs())).body).toHaveLength(before);
  });

  test('are bounded, also when many come at once', async () => {
    const full = await createApp(org, newSamlApp());
    const path = `${APPS}/${full.id}/credentials/csrs`;
    for (let made = 0; made < 18; made += 6) {
      await Promise.all(Array.from({ length: 6 }, () => org.admin.post(path, { body: { subject: SUBJECT } })));
    }
    const last = await Promise.all(
      Array.from({ length: 4 }, () => org.admin.post(path, { body: { subject: SUBJECT } })),
    );
    expect(last.map(({ status }) => status).toSorted()).toEqual([201, 201, 400, 400]);
    expect((await org.admin.get(path)).body).toHaveLength(20);
  });
});

describe('publish', () => {
  test.each([
    ['PEM', 'application/x-pem-file', (der: Buffer) => toPem(der), {}],
    ['DER', 'application/pkix-cert', (der: Buffer) => der, {}],
    ['DER as CER', 'application/x-x509-ca-cert', (der: Buffer) => der, {}],
    [
      'base64',
      'application/pkix-cert',
      (der: Buffer) => der.toString('base64'),
      { 'content-transfer-encoding': 'base64' },
    ],
    ['base64url', 'application/x-x509-ca-cert', (der: Buffer) => der.toString('base64url'), {}],
  ])('%s makes the key one of the app', async (_, type, encode, headers) => {
    const csr = await newCsr();
    const der = certified(csr);
    const published = await publish(csr.id, encode(der), type, headers);
    expect(published.status, published.text).toBe(201);
    expect(published.body).toMatchObject({ kid: csr.id, kty: 'RSA', use: 'sig', x5c: [der.toString('base64')] });
    expect((await org.admin.get(`${keys()}/${csr.id}`)).body).toEqual(published.body);
    expect(await org.admin.get(`${csrs()}/${csr.id}`)).toMatchObject(NOT_FOUND);
    expect(await publish(csr.id, toPem(der))).toMatchObject(NOT_FOUND);
    const signing = { kid: csr.id };
    const put = await org.admin.put(`${APPS}/${app.id}`, { body: newSamlApp({}, { credentials: { signing } }) });
    expect(put.body.credentials.signing).toEqual(signing);
  });

  test('refuses the certificate of another key, one that ends soon, and what is none', async () => {
    const csr = await newCsr();
    const other = generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey;
    const refused = invalidField('certificate');
    const wrong = await publish(csr.id, toPem(certify(other, org.now())));
    expect(wrong).toMatchObject(refused);
    expect(wrong.body.errorCauses).toEqual([{ errorSummary: "The certificate doesn't match the CSR." }]);
    const short = await publish(csr.id, toPem(certified(csr, 90)));
    expect(short.body.errorCauses).toEqual([{ errorSummary: 'The certificate must be valid for more than 90 days.' }]);
    const der = certified(csr);
    const nonsense = [
      'nonsense',
      '{}',
      toPem(Buffer.from('nonsense')),
      Buffer.concat([der, der]),
      Buffer.of(0x30, 0x82),
    ];
    for (const raw of nonsense) expect(await publish(csr.id, raw)).toMatchObject(refused);
    expect(await publish(csr.id, '{}', 'application/json')).toMatchObject({ body: { errorCode: 'E0000021' } });
    // A body with this many spaces once blocked the process.
    expect(await publish(csr.id, `A${' '.repeat(16_000)}!`)).toMatchObject(refused);
    expect(await publish(csr.id, `A${' '.repeat(17_000)}!`)).toMatchObject({ status: 413 });
    expect((await org.admin.get(`${csrs()}/${csr.id}`)).status).toBe(200);
  });

  test('twice at once makes one key', async () => {
    const csr = await newCsr();
    const text = toPem(certified(csr));
    const answers = await Promise.all([publish(csr.id, text), publish(csr.id, text)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 404]);
  });

  test('of another org finds nothing', async () => {
    const csr = await newCsr();
    const other = await service.newOrg();
    const path = `${csrs()}/${csr.id}/lifecycle/publish`;
    const raw = toPem(certified(csr));
    const headers = { 'content-type': 'application/x-pem-file' };
    expect(await other.admin.post(path, { raw, headers })).toMatchObject(NOT_FOUND);
    expect((await org.admin.get(`${csrs()}/${csr.id}`)).status).toBe(200);
  });
});
