import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { Context } from '../../../kernel/context.ts';
import { linkTo } from '../../../kernel/errors/hints.ts';
import { wireDate } from '../../../kernel/texts/dates.ts';
import { FIRST_REVISION, type Version } from '../../../kernel/version.ts';
import type { AppId, OrgId } from '../../../kernel/words/ids.ts';
import { type MasterKey, type SealedPlace, seal, unsealText } from '../../../platform/crypto/index.ts';
import { changeTarget, type Target } from '../../../system-log/index.ts';

/** A request to certify a key. The key does not belong to the app until its certificate is published. */
export interface Csr {
  /** The RFC 7638 thumbprint of the key. */
  readonly id: string;
  /** The request as PKCS #10 in DER. */
  readonly request: Buffer;
  readonly sealedKey: Buffer;
  readonly createdAt: Date;
}

export const MAXIMUM_CSRS = 20;

const placeOf = (orgId: OrgId, appId: AppId, id: string): SealedPlace => ({
  orgId,
  table: 'app_csrs',
  column: 'sealed_key',
  row: `${appId}/${id}`,
});

export const sealCsrKey = (masterKey: MasterKey, orgId: OrgId, appId: AppId, id: string, key: KeyObject): Buffer =>
  seal(masterKey, placeOf(orgId, appId, id), key.export({ type: 'pkcs8', format: 'pem' }).toString());

export function openCsrKey(masterKey: MasterKey, orgId: OrgId, appId: AppId, { id, sealedKey }: Csr) {
  const privateKey = createPrivateKey(unsealText(masterKey, placeOf(orgId, appId, id), sealedKey));
  return { privateKey, publicKey: createPublicKey(privateKey) };
}

export function wireCsr({ createdAt, id, request }: Csr, appId: AppId, { baseUrl }: Context): Record<string, unknown> {
  const address = `${baseUrl}/api/v1/apps/${appId}/credentials/csrs/${id}`;
  return {
    id,
    created: wireDate(createdAt),
    csr: request.toString('base64'),
    kty: 'RSA',
    _links: {
      self: linkTo(address, '/api/v1/apps/:appId/credentials/csrs/:csrId'),
      publish: { href: `${address}/lifecycle/publish`, hints: { allow: ['POST'] } },
    },
  };
}

/** The version is constant because a certificate request never changes. */
export const csrVersion = ({ id }: Csr): Version => ({ kind: 'csr', id, revision: FIRST_REVISION });

const csrTarget = ({ id }: Csr): Target => ({ id, type: 'Csr', alternateId: id, displayName: id });

export const csrChange = changeTarget(csrTarget, ({ createdAt, id }) => ({ id, created: wireDate(createdAt) }));
