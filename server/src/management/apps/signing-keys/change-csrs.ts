import type { Static } from '@sinclair/typebox';
import type { Context } from '../../../kernel/context.ts';
import { invalidObject, notFound } from '../../../kernel/errors/errors.ts';
import { limitReached, required } from '../../../kernel/errors/field-errors.ts';

import { wholeSecond } from '../../../kernel/texts/dates.ts';
import { assertVersion } from '../../../kernel/version.ts';
import type { AppId } from '../../../kernel/words/ids.ts';
import { type DistinguishedName, makeSigningRequest } from '../../../platform/crypto/index.ts';
import type { Grant } from '../../../platform/http/index.ts';
import type { Tx } from '../../../platform/postgres/index.ts';
import { lockApp } from '../changes/lock-app.ts';
import { getApp } from '../lists/get-app.ts';
import type { AppPorts, AppRoutesPorts } from '../route-ports.ts';
import { appTarget } from '../target.ts';
import { assertRoom } from './change-signing-keys.ts';
import { type Csr, csrChange, csrVersion, MAXIMUM_CSRS, openCsrKey, sealCsrKey } from './csr.ts';
import { findCsrs, insertCsr, removeCsr } from './csr-store.ts';
import { readCertificate } from './read-certificate.ts';
import {
  certifiedJwk,
  numbersOf,
  type SigningKey,
  sealSigningKey,
  signingKeyChange,
  thumbprintOf,
} from './signing-key.ts';
import type { CsrBody } from './signing-key-contract.ts';
import { insertSigningKey } from './signing-key-store.ts';

type Ports = Pick<AppPorts, 'masterKey' | 'work'>;

function readSubject({ subject }: Static<typeof CsrBody>): DistinguishedName {
  const parts = Object.entries(subject).filter(([, text]) => typeof text === 'string' && text.trim() !== '');
  if (parts.length === 0) throw required('subject');
  return Object.fromEntries(parts);
}

export async function generateCsr(
  { db, makeKeyPair, masterKey, work }: Pick<AppRoutesPorts, 'db' | 'makeKeyPair' | 'masterKey' | 'work'>,
  context: Context,
  grant: Grant,
  appId: AppId,
  input: Static<typeof CsrBody>,
): Promise<Csr> {
  const { orgId } = context;
  const subject = readSubject(input);
  // The app is checked first, because making a key is slow.
  await getApp(db, context, grant, appId);
  const pair = await makeKeyPair();
  const request = await makeSigningRequest(pair, subject, input.subjectAltNames?.dnsNames ?? []);
  const id = thumbprintOf(numbersOf(pair.publicKey));
  const sealedKey = sealCsrKey(masterKey, orgId, appId, id, pair.privateKey);
  const csr: Csr = { id, request, sealedKey, createdAt: wholeSecond(context.now) };
  return work(context, async (tx, record) => {
    const app = await lockApp(tx, context, appId, grant);
    if ((await findCsrs(tx, orgId, appId)).length >= MAXIMUM_CSRS) {
      throw limitReached('csr', MAXIMUM_CSRS, 'requests that wait for a certificate', 'An app');
    }
    await insertCsr(tx, orgId, appId, csr);
    record({ eventType: 'app.app_instance.csr.generate', target: [appTarget(app), csrChange([null, csr])] });
    return csr;
  });
}

async function findCsr(tx: Tx, context: Context, appId: AppId, id: string): Promise<Csr> {
  const csr = (await findCsrs(tx, context.orgId, appId)).find((one) => one.id === id);
  if (csr === undefined) throw notFound(id, 'Csr');
  assertVersion(context, csrVersion(csr));
  return csr;
}

export function revokeCsr(
  { work }: Pick<AppPorts, 'work'>,
  context: Context,
  grant: Grant,
  appId: AppId,
  csrId: string,
): Promise<void> {
  return work(context, async (tx, record) => {
    const app = await lockApp(tx, context, appId, grant);
    const csr = await findCsr(tx, context, appId, csrId);
    await removeCsr(tx, context.orgId, appId, csrId);
    record({ eventType: 'app.app_instance.csr.revoke', target: [appTarget(app), csrChange([csr, null])] });
  });
}

const DAY_MILLISECONDS = 86_400_000;
/** A certificate that expires within this time leaves service providers too little time to switch to its successor. */
const MINIMUM_DAYS = 90;

/** Completes a certificate request with its certificate, so that the key becomes a key of the app. */
export function publishCsr(
  { masterKey, work }: Ports,
  context: Context,
  grant: Grant,
  appId: AppId,
  csrId: string,
  body: Buffer,
): Promise<SigningKey> {
  const { orgId } = context;
  const refuse = (cause: string) => invalidObject('certificate', [cause]);
  return work(context, async (tx, record) => {
    const app = await lockApp(tx, context, appId, grant);
    const csr = await findCsr(tx, context, appId, csrId);
    const certificate = readCertificate('certificate', body);
    const { privateKey, publicKey } = openCsrKey(masterKey, orgId, appId, csr);
    if (!certificate.publicKey.equals(publicKey)) throw refuse("The certificate doesn't match the CSR.");
    const expiresAt = new Date(certificate.validTo);
    if (expiresAt.getTime() - context.now.getTime() <= MINIMUM_DAYS * DAY_MILLISECONDS) {
      throw refuse('The certificate must be valid for more than 90 days.');
    }
    await assertRoom(tx, context, app, 'certificate');
    const now = wholeSecond(context.now);
    const key = {
      kid: csr.id,
      jwk: certifiedJwk(publicKey, certificate.raw),
      expiresAt: wholeSecond(expiresAt),
      createdAt: now,
      lastUpdatedAt: now,
      sealedKey: sealSigningKey(masterKey, orgId, appId, csr.id, privateKey),
    };
    await removeCsr(tx, orgId, appId, csr.id);
    await insertSigningKey(tx, orgId, appId, key);
    record({
      eventType: 'app.app_instance.csr.publish',
      target: [appTarget(app), csrChange([csr, null]), signingKeyChange([null, key])],
    });
    return key;
  });
}
