import { Type } from '@sinclair/typebox';
import { notFound } from '../../../kernel/errors/errors.ts';
import {
  type AnyRoute,
  FOR_A_YEAR,
  FOR_AN_HOUR,
  imageFile,
  type MultipartForm,
  route,
} from '../../../platform/http/index.ts';
import { AppIdParams } from '../contract.ts';
import type { AppRoutesPorts } from '../route-ports.ts';
import { MAXIMUM_IMAGE_BYTES } from './image-rules.ts';
import { DEFAULT_LOGO, LOGO_FILES, logoAddress } from './logo-address.ts';
import { findLogo } from './logo-store.ts';
import { uploadLogo } from './upload-logo.ts';

const BODY_LIMIT = {
  bytes: MAXIMUM_IMAGE_BYTES + 16_384,
  reason: 'The largest image, and the form around it.',
};

const LogoBody = Type.Unsafe<MultipartForm>({
  type: 'object',
  required: ['file'],
  properties: {
    file: { type: 'string', format: 'binary', description: 'A PNG, JPG, GIF or SVG image of less than 1 MB.' },
  },
});

const DEFAULT_IMAGE = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200" width="200" height="200">' +
    '<rect width="200" height="200" rx="32" fill="#e7ebf0"/>' +
    '<rect x="48" y="48" width="44" height="44" rx="8" fill="#7a8aa0"/>' +
    '<rect x="108" y="48" width="44" height="44" rx="8" fill="#9aa8ba"/>' +
    '<rect x="48" y="108" width="44" height="44" rx="8" fill="#9aa8ba"/>' +
    '<rect x="108" y="108" width="44" height="44" rx="8" fill="#7a8aa0"/></svg>',
  'utf8',
);

const served = {
  tag: 'ApplicationLogos',
  access: 'public',
  scopes: [],
  bucket: 'unlimited',
  cors: false,
  anyAccept: true,
} as const;

export const logoRoutes = (ports: AppRoutesPorts): AnyRoute[] => [
  route({
    operationId: 'uploadApplicationLogo',
    bodyLimit: BODY_LIMIT,
    tag: 'ApplicationLogos',
    access: 'authenticated',
    scopes: ['apps.manage'],
    permission: 'apps.manage',
    appliesGrant: true,
    bucket: 'management',
    cors: false,
    method: 'POST',
    url: '/api/v1/apps/:appId/logo',
    summary: 'Upload an application logo',
    params: AppIdParams,
    body: LogoBody,
    bodyType: 'multipart',
    response: { status: 201, schema: null },
    errors: ['E0000001', 'E0000006', 'E0000007'],
    handler: async ({ context, grant, params, body }) => {
      const logo = await uploadLogo(ports, context, grant, params.appId, body);
      return { status: 201, body: null, headers: { Location: logoAddress(logo, context.baseUrl).href } };
    },
  }),
  route({
    ...served,
    operationId: 'getApplicationLogoFile',
    method: 'GET',
    url: `${LOGO_FILES}/:logoId`,
    summary: 'Retrieve the logo of an application',
    params: Type.Object({ logoId: Type.String() }),
    response: { status: 200, schema: Type.String({ format: 'binary' }), mediaType: 'image/*' },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      const logo = await findLogo(ports.db, context.orgId, params.logoId);
      if (logo === undefined) throw notFound(params.logoId, 'Logo');
      return imageFile(logo.mediaType, logo.content, FOR_A_YEAR);
    },
  }),
  route({
    ...served,
    operationId: 'getDefaultApplicationLogoFile',
    method: 'GET',
    url: DEFAULT_LOGO,
    summary: 'Retrieve the default logo of applications',
    response: { status: 200, schema: Type.String({ format: 'binary' }), mediaType: 'image/svg+xml' },
    errors: [],
    // A later release may bring another image.
    handler: async () => imageFile('image/svg+xml', DEFAULT_IMAGE, FOR_AN_HOUR),
  }),
];
