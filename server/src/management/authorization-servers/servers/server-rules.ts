import { required } from '../../../kernel/errors/field-errors.ts';
import { isAbsent, type Members, readChoice, readMembers } from '../../../kernel/words/members.ts';
import { gather, readName, readOptionalText, readTexts, refuseUnsupported } from '../rules/shape-rules.ts';

export const ISSUER_MODES = ['ORG_URL', 'CUSTOM_URL', 'DYNAMIC'] as const;
export type IssuerMode = (typeof ISSUER_MODES)[number];

export const ROTATION_MODES = ['AUTO', 'MANUAL'] as const;
export type RotationMode = (typeof ROTATION_MODES)[number];

const MAXIMUM_DESCRIPTION_LENGTH = 1_024;

export interface ServerValues {
  readonly name: string;
  readonly description: string;
  readonly audiences: readonly string[];
  readonly issuerMode: IssuerMode;
  readonly rotationMode: RotationMode;
}

function readAudiences(value: unknown): readonly string[] {
  const audiences = readTexts('audiences', value, 1);
  if (audiences.length === 0) throw required('audiences');
  return audiences;
}

function readIssuerMode(value: unknown, otherwise: IssuerMode): IssuerMode {
  const mode = readChoice('issuerMode', value, ISSUER_MODES, otherwise);
  if (mode === 'CUSTOM_URL') refuseUnsupported({ issuerMode: mode }, ['issuerMode']);
  return mode;
}

function readRotationMode(value: unknown, otherwise: RotationMode): RotationMode {
  const credentials = isAbsent(value) ? {} : readMembers('credentials', value, ['signing']);
  const place = 'credentials.signing';
  const signing = readMembers(place, credentials['signing'], [
    'kid',
    'lastRotated',
    'nextRotation',
    'rotationMode',
    'use',
  ]);
  readChoice(`${place}.use`, signing['use'], ['sig'], 'sig');
  return readChoice(`${place}.rotationMode`, signing['rotationMode'], ROTATION_MODES, otherwise);
}

const UNSUPPORTED = ['accessTokenEncryptedResponseAlgorithm', 'jwks', 'jwks_uri'];

const NEW_SERVER = { issuerMode: 'DYNAMIC', rotationMode: 'AUTO' } as const;

/** `before` is the server that the body replaces. */
export function readServer(
  body: Members,
  before: Pick<ServerValues, 'issuerMode' | 'rotationMode'> & Partial<ServerValues> = NEW_SERVER,
): ServerValues {
  const { values } = gather<{ values: ServerValues; unsupported: null }>({
    values: () =>
      gather<ServerValues>({
        name: () => readName(body['name'], before.name),
        description: () =>
          readOptionalText('description', body['description'], MAXIMUM_DESCRIPTION_LENGTH, before.description) ?? '',
        audiences: () => readAudiences(body['audiences']),
        issuerMode: () => readIssuerMode(body['issuerMode'], before.issuerMode),
        rotationMode: () => readRotationMode(body['credentials'], before.rotationMode),
      }),
    unsupported: () => {
      refuseUnsupported(body, UNSUPPORTED);
      return null;
    },
  });
  return values;
}
