import { Type } from '@sinclair/typebox';
import type { Context } from '../../../kernel/context.ts';
import { invalid, notFound } from '../../../kernel/errors/errors.ts';
import { required } from '../../../kernel/errors/field-errors.ts';
import {
  type Answer,
  type AnyRoute,
  imageFile,
  type MultipartForm,
  noContent,
  ok,
  route,
  versioned,
} from '../../../platform/http/index.ts';
import { BrandIdParams } from '../contract.ts';
import { assertBrand, type BrandRoutesPorts, theme, themes, themesManaging, themesReading } from '../route-parts.ts';
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
import { findTheme, findThemeImage, type StoredTheme } from './theme-store.ts';
import { imageAddress, THEME_FILES, themeIdOf, themeVersion, wireTheme } from './wire.ts';

const IMAGE_FORM = {
  bytes: THEME_IMAGES.backgroundImage.bytesBelow + 16_384,
  reason: 'The largest image, and the form around it.',
};

interface Place {
  readonly brandId: string;
  readonly themeId: string;
}

/** 404 E0000007 for any theme but the org's only one. */
function assertTheme(context: Context, params: Place): void {
  assertBrand(context, params);
  if (params.themeId !== themeIdOf(context.orgId)) throw notFound(params.themeId, 'Theme');
}

/** Reads the only file of a form. 400 E0000001. */
function fileIn(form: MultipartForm): Buffer {
  const file = form.get('file');
  if (file === undefined) throw required('file');
  if (form.size > 1) throw invalid('file', 'must be the only part.');
  return file.content;
}

const answer = (row: StoredTheme, context: Context): Answer =>
  versioned(themeVersion(context, row), wireTheme(row, context));

const documentRoutes = ({ db, work }: BrandRoutesPorts): AnyRoute[] => [
  route({
    ...themesReading,
    operationId: 'listBrandThemes',
    method: 'GET',
    url: themes,
    summary: 'List all themes: a brand has one',
    params: BrandIdParams,
    response: { status: 200, schema: ThemeListSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      assertBrand(context, params);
      return ok([wireTheme(await findTheme(db, context.orgId), context)]);
    },
  }),
  route({
    ...themesReading,
    operationId: 'getBrandTheme',
    method: 'GET',
    url: theme,
    summary: 'Retrieve a theme',
    params: ThemeParams,
    response: { status: 200, schema: ThemeSchema },
    errors: ['E0000007'],
    handler: async ({ context, params }) => {
      assertTheme(context, params);
      return answer(await findTheme(db, context.orgId), context);
    },
  }),
  route({
    ...themesManaging,
    operationId: 'replaceBrandTheme',
    method: 'PUT',
    url: theme,
    summary: 'Replace a theme, but for its images',
    params: ThemeParams,
    body: ThemeBody,
    response: { status: 200, schema: ThemeSchema },
    errors: ['E0000001', 'E0000007'],
    conditional: true,
    handler: async ({ context, params, body }) => {
      assertTheme(context, params);
      return answer(await replaceTheme(work, context, body), context);
    },
  }),
];

interface ImageOperations {
  readonly upload: string;
  readonly remove: string;
  readonly words: string;
  /** The published status, which differs by image. */
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
    const url = `${theme}/${THEME_IMAGES[name].path}`;
    return [
      route({
        ...themesManaging,
        operationId: upload,
        method: 'POST',
        url,
        summary: `Upload the ${words}`,
        params: ThemeParams,
        body: Type.Unsafe<MultipartForm>({
          type: 'object',
          required: ['file'],
          properties: { file: { type: 'string', format: 'binary', description: describeImage(name) } },
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
        ...themesManaging,
        operationId: remove,
        method: 'DELETE',
        url,
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
      return imageFile(image.mediaType, image.content);
    },
  });

/** How the org's pages and mails look. */
export const themeRoutes = (ports: BrandRoutesPorts): AnyRoute[] => [
  ...documentRoutes(ports),
  ...(Object.entries(OPERATIONS) as [ThemeImageName, ImageOperations][]).flatMap(imageRoutes(ports)),
  fileRoute(ports),
];
