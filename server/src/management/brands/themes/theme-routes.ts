import { Type } from '@sinclair/typebox';
import type { Context } from '../../../kernel/context.ts';
import { invalid, notFound } from '../../../kernel/errors/errors.ts';
import { required } from '../../../kernel/errors/field-errors.ts';
import {
  type AnyRoute,
  FOR_A_YEAR,
  imageFile,
  type MultipartForm,
  noContent,
  resourceRoutes,
  route,
} from '../../../platform/http/index.ts';
import { BrandIdParams } from '../contract.ts';
import { assertBrand, type BrandRoutesPorts, brandUrl } from '../route-parts.ts';
import { deleteThemeImage, replaceTheme, uploadThemeImage } from './change-theme.ts';
import {
  ImageUploadSchema,
  ThemeBody,
  ThemeImageParams,
  ThemeListSchema,
  ThemeParams,
  ThemeSchema,
} from './contract.ts';
import { describeImage, THEME_IMAGES, type ThemeImageName } from './image-rules.ts';
import { findTheme, findThemeImage } from './theme-store.ts';
import { imageAddress, THEME_FILES, themeIdOf, themeVersion, wireTheme } from './wire.ts';

const IMAGE_FORM = {
  bytes: THEME_IMAGES.backgroundImage.bytesBelow + 16_384,
  reason: 'The largest image, and the form around it.',
};

interface Place {
  readonly brandId: string;
  readonly themeId: string;
}

function assertTheme(context: Context, params: Place): void {
  assertBrand(context, params);
  if (params.themeId !== themeIdOf(context.orgId)) throw notFound(params.themeId, 'Theme');
}

function fileIn(form: MultipartForm): Buffer {
  const file = form.get('file');
  if (file === undefined) throw required('file');
  if (form.size > 1) throw invalid('file', 'must be the only part.');
  return file.content;
}

const url = `${brandUrl}/themes/:themeId`;
const themes = resourceRoutes({
  tag: 'Themes',
  name: 'BrandTheme',
  one: 'a theme',
  all: 'all themes',
  scope: 'brands',
  url,
  of: BrandIdParams,
  params: ThemeParams,
  schema: ThemeSchema,
  wire: wireTheme,
  version: (row, context) => themeVersion(context, row),
});

const documentRoutes = ({ db, work }: BrandRoutesPorts): AnyRoute[] => [
  themes.list({
    schema: ThemeListSchema,
    use: async ({ context, params }) => {
      assertBrand(context, params);
      return [await findTheme(db, context.orgId)];
    },
  }),
  themes.get({
    use: async ({ context, params }) => {
      assertTheme(context, params);
      return findTheme(db, context.orgId);
    },
  }),
  themes.replace({
    body: ThemeBody,
    use: async ({ context, params, body }) => {
      assertTheme(context, params);
      return replaceTheme(work, context, body);
    },
  }),
];

interface ImageOperations {
  readonly upload: string;
  readonly remove: string;
  readonly words: string;
  /** The contract does not use the same status for all images. */
  readonly status: 200 | 201;
}

const OPERATIONS: Readonly<Record<ThemeImageName, ImageOperations>> = {
  logo: { upload: 'uploadBrandThemeLogo', remove: 'deleteBrandThemeLogo', words: 'logo', status: 200 },
  favicon: { upload: 'uploadBrandThemeFavicon', remove: 'deleteBrandThemeFavicon', words: 'favicon', status: 201 },
  backgroundImage: {
    upload: 'uploadBrandThemeBackgroundImage',
    remove: 'deleteBrandThemeBackgroundImage',
    words: 'background image',
    status: 201,
  },
};

const imageRoutes =
  ({ work }: BrandRoutesPorts) =>
  ([name, { remove, status, upload, words }]: readonly [ThemeImageName, ImageOperations]): AnyRoute[] => {
    const imageUrl = `${url}/${THEME_IMAGES[name].path}`;
    return [
      route({
        ...themes.managing,
        operationId: upload,
        method: 'POST',
        url: imageUrl,
        summary: `Upload the ${words}`,
        params: ThemeParams,
        body: Type.Unsafe<MultipartForm>({
          type: 'object',
          required: ['file'],
          properties: { file: { type: 'string', format: 'binary', description: `The image: ${describeImage(name)}` } },
        }),
        bodyType: 'multipart',
        bodyLimit: IMAGE_FORM,
        response: { status, schema: ImageUploadSchema },
        errors: ['E0000001', 'E0000007'],
        handler: async ({ context, params, body }) => {
          assertTheme(context, params);
          const row = await uploadThemeImage({ work }, context, name, fileIn(body));
          return { status, body: { url: imageAddress(context, row, name) } };
        },
      }),
      route({
        ...themes.managing,
        operationId: remove,
        method: 'DELETE',
        url: imageUrl,
        summary: `Delete the ${words}`,
        params: ThemeParams,
        response: { status: 204, schema: null },
        errors: ['E0000007'],
        handler: async ({ context, params }) => {
          assertTheme(context, params);
          await deleteThemeImage({ work }, context, name);
          return noContent();
        },
      }),
    ];
  };

const fileRoute = ({ db }: BrandRoutesPorts): AnyRoute =>
  route({
    operationId: 'getThemeImageFile',
    tag: 'Themes',
    access: 'public',
    scopes: [],
    bucket: 'unlimited',
    cors: false,
    anyAccept: true,
    method: 'GET',
    url: `${THEME_FILES}/:digest`,
    summary: 'Retrieve an image of a theme',
    params: ThemeImageParams,
    response: { status: 200, schema: Type.String({ format: 'binary' }), mediaType: 'image/*' },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      const image = await findThemeImage(db, context.orgId, params.digest);
      if (image === undefined) throw notFound(params.digest, 'ThemeImage');
      return imageFile(image.mediaType, image.content, FOR_A_YEAR);
    },
  });

export const themeRoutes = (ports: BrandRoutesPorts): AnyRoute[] => [
  ...documentRoutes(ports),
  ...(Object.entries(OPERATIONS) as [ThemeImageName, ImageOperations][]).flatMap(imageRoutes(ports)),
  fileRoute(ports),
];
