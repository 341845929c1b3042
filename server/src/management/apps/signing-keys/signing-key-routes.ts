import {
  type Answer,
  type AnyRoute,
  created,
  resourceRoutes,
  route,
  text,
  textAnswer,
  versioned,
} from '../../../platform/http/index.ts';
import { AppIdParams } from '../contract.ts';
import type { AppRoutesPorts } from '../route-ports.ts';
import { generateCsr, publishCsr, revokeCsr } from './change-csrs.ts';
import { cloneSigningKey, generateSigningKey } from './change-signing-keys.ts';
import { type Csr, csrVersion, wireCsr } from './csr.ts';
import { getCsr, listCsrs } from './get-csr.ts';
import { getSigningKey, listSigningKeys, type ShownKey } from './get-signing-key.ts';
import { wireOrgKey, wireSigningKey } from './signing-key.ts';
import {
  CERTIFICATE_TYPES,
  CertificateBody,
  CsrBody,
  CsrListSchema,
  CsrParams,
  CsrSchema,
  SigningKeyListSchema,
  SigningKeyParams,
  SigningKeySchema,
} from './signing-key-contract.ts';

const keys = '/api/v1/apps/:appId/credentials/keys';
const csrs = '/api/v1/apps/:appId/credentials/csrs';

const common = { tag: 'ApplicationSSOCredentialKey', scope: 'apps', appliesGrant: true, of: AppIdParams } as const;
const signingKeys = resourceRoutes({
  ...common,
  name: 'ApplicationKey',
  one: 'a key credential',
  all: 'all key credentials',
  url: `${keys}/:keyId`,
  params: SigningKeyParams,
  schema: SigningKeySchema,
  wire: (key: ShownKey) => ('publicJwk' in key ? wireOrgKey(key) : wireSigningKey(key)),
});
const signingRequests = resourceRoutes({
  ...common,
  name: 'CsrForApplication',
  one: 'a certificate signing request',
  all: 'all certificate signing requests',
  url: `${csrs}/:csrId`,
  params: CsrParams,
  schema: CsrSchema,
  wire: (csr: Csr, context, { params }) => wireCsr(csr, params.appId, context),
});
const { reading, managing } = signingKeys;

const keyRoutes = (ports: AppRoutesPorts): AnyRoute[] => [
  signingKeys.list({
    schema: SigningKeyListSchema,
    use: ({ context, grant, params }) => listSigningKeys(ports, context, grant, params.appId),
  }),
  route({
    ...managing,
    operationId: 'generateApplicationKey',
    method: 'POST',
    url: `${keys}/generate`,
    summary: 'Generate a key credential',
    params: AppIdParams,
    query: { validityYears: text('How long the certificate is valid, from 2 to 10 years.', 20) },
    response: { status: 201, schema: SigningKeySchema },
    errors: ['E0000001', 'E0000006', 'E0000007', 'E0000028', 'E0000037'],
    handler: async ({ context, grant, params, query }) =>
      created(wireSigningKey(await generateSigningKey(ports, context, grant, params.appId, query.validityYears))),
  }),
  signingKeys.get({
    use: ({ context, grant, params }) => getSigningKey(ports, context, grant, params.appId, params.keyId),
  }),
  route({
    ...managing,
    operationId: 'cloneApplicationKey',
    method: 'POST',
    url: `${keys}/:keyId/clone`,
    summary: 'Clone a key credential',
    params: SigningKeyParams,
    query: { targetAid: text('The id of the app that gets the key.', 255) },
    response: { status: 201, schema: SigningKeySchema },
    errors: ['E0000001', 'E0000006', 'E0000007', 'E0000028'],
    handler: async ({ context, grant, params: { appId, keyId }, query }) =>
      created(wireSigningKey(await cloneSigningKey(ports, context, grant, appId, keyId, query.targetAid))),
  }),
];

const PKCS10 = 'application/pkcs10';

/** Responds with Base64 if the request accepts PKCS #10, and otherwise with an object. */
function csrAnswer(status: 200 | 201, csr: Csr, accept: unknown, asObject: () => Record<string, unknown>): Answer {
  const asksForPkcs10 = typeof accept === 'string' && accept.toLowerCase().includes(PKCS10);
  const version = csrVersion(csr);
  if (asksForPkcs10) return { ...textAnswer(status, PKCS10, csr.request.toString('base64')), version };
  return versioned(version, asObject(), status);
}

const requestRoutes = (ports: AppRoutesPorts): AnyRoute[] => [
  signingRequests.list({
    operationId: 'listCsrsForApplication',
    schema: CsrListSchema,
    use: ({ context, grant, params }) => listCsrs(ports.db, context, grant, params.appId),
  }),
  route({
    ...managing,
    operationId: 'generateCsrForApplication',
    method: 'POST',
    url: csrs,
    summary: 'Generate a certificate signing request',
    params: AppIdParams,
    body: CsrBody,
    response: { status: 201, schema: CsrSchema, alternatives: [PKCS10] },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    handler: async ({ context, grant, params: { appId }, body, headers }) => {
      const csr = await generateCsr(ports, context, grant, appId, body);
      return csrAnswer(201, csr, headers['accept'], () => wireCsr(csr, appId, context));
    },
  }),
  route({
    ...reading,
    operationId: 'getCsrForApplication',
    method: 'GET',
    url: `${csrs}/:csrId`,
    summary: 'Retrieve a certificate signing request',
    params: CsrParams,
    response: { status: 200, schema: CsrSchema, alternatives: [PKCS10] },
    errors: ['E0000007'],
    handler: async ({ context, grant, params: { appId, csrId }, headers }) => {
      const csr = await getCsr(ports.db, context, grant, appId, csrId);
      return csrAnswer(200, csr, headers['accept'], () => wireCsr(csr, appId, context));
    },
  }),
];

const answeredRequestRoutes = (ports: AppRoutesPorts): AnyRoute[] => [
  signingRequests.delete({
    operationId: 'revokeCsrFromApplication',
    summary: 'Revoke a certificate signing request',
    errors: ['E0000006'],
    use: ({ context, grant, params }) => revokeCsr(ports, context, grant, params.appId, params.csrId),
  }),
  route({
    ...managing,
    operationId: 'publishCsrFromApplication',
    method: 'POST',
    url: `${csrs}/:csrId/lifecycle/publish`,
    summary: 'Publish a certificate signing request',
    params: CsrParams,
    body: CertificateBody,
    bodyType: 'bytes',
    consumes: CERTIFICATE_TYPES,
    bodyLimit: {
      bytes: 16_384,
      reason: 'A certificate of the largest keys there are has some six kilobytes, and a third more in base64.',
    },
    response: { status: 201, schema: SigningKeySchema },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    conditional: true,
    handler: async ({ context, grant, params: { appId, csrId }, body }) =>
      created(wireSigningKey(await publishCsr(ports, context, grant, appId, csrId, body))),
  }),
];

export const signingKeyRoutes = (ports: AppRoutesPorts): AnyRoute[] => [
  ...keyRoutes(ports),
  ...requestRoutes(ports),
  ...answeredRequestRoutes(ports),
];
