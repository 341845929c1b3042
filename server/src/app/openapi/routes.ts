import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { Type } from '@sinclair/typebox';
import { notFound } from '../../kernel/errors/errors.ts';
import type { Namespace } from '../../kernel/words/namespace.ts';
import { type Answer, type AnyRoute, html, rawJson, route } from '../../platform/http/index.ts';
import { packageFile } from '../../platform/package-folder.ts';
import { API_TITLE, API_VERSION, openApiDocument } from './document.ts';
import { DOCUMENT_URL, PAGE_URL, referencePage, VIEWER_FILES } from './reference-page.ts';

const common = {
  tag: 'Reference',
  method: 'GET',
  access: 'public',
  scopes: [],
  bucket: 'unlimited',
  cors: false,
} as const;

/** The document changes only with a release. */
const CACHE_CONTROL = 'public, max-age=3600';

/** These headers let any origin read a response, because the reference page has its own origin and sends no cookie. */
const READABLE_BY_ALL = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Cache-Control': CACHE_CONTROL,
};

/** A placeholder for the address of the org. */
const SERVER_PLACE = 'https://server.invalid';

/** Returns a function that renders the document once. Later calls only insert the address of their org. */
function textOfDocument(routes: () => readonly AnyRoute[]): (namespace: Namespace, origin: string) => string {
  let parts: readonly string[] | null = null;
  return (namespace, origin) => {
    parts ??= JSON.stringify(
      openApiDocument(routes(), {
        title: API_TITLE,
        version: API_VERSION,
        namespace,
        servers: [{ url: SERVER_PLACE }],
      }),
    ).split(JSON.stringify(SERVER_PLACE));
    return parts.join(JSON.stringify(origin));
  };
}

const documentRoute = (routes: () => readonly AnyRoute[]): AnyRoute => {
  const textFor = textOfDocument(routes);
  return route({
    ...common,
    operationId: 'getOpenApiDocument',
    url: DOCUMENT_URL,
    summary: 'Retrieve the OpenAPI document of this API',
    response: { status: 200, schema: Type.Record(Type.String(), Type.Unknown()) },
    errors: [],
    handler: async ({ context: { baseUrl, namespace } }) =>
      rawJson(textFor(namespace, baseUrl), { headers: READABLE_BY_ALL }),
  });
};

const pageRoute: AnyRoute = route({
  ...common,
  operationId: 'showApiReference',
  url: PAGE_URL,
  summary: 'Show the reference of this API',
  response: { status: 200, schema: Type.String(), mediaType: 'text/html' },
  errors: [],
  handler: async ({ context: { baseUrl } }) => {
    const { content, headers } = referencePage(baseUrl);
    return html(content, headers);
  },
});

const isViewerFile = (name: string): name is keyof typeof VIEWER_FILES => Object.hasOwn(VIEWER_FILES, name);

/** The build contains copies of the files (tools/bundle.mjs). When run from source, the service reads the package. */
const pathOfViewerFile = (file: string): string =>
  import.meta.url.endsWith('.ts')
    ? createRequire(import.meta.url).resolve(file)
    : packageFile('dist', 'viewer', basename(file));

const fileRoute = (): AnyRoute => {
  const kept = new Map<string, Promise<Buffer>>();
  return route({
    ...common,
    operationId: 'getApiReferenceFile',
    url: `${PAGE_URL}/:fileName`,
    summary: 'Retrieve a file of the reference page',
    params: Type.Object({ fileName: Type.String() }),
    // Browsers send different `Accept` headers for scripts and style sheets.
    anyAccept: true,
    response: { status: 200, schema: Type.String(), mediaType: 'text/javascript', alternatives: ['text/css'] },
    errors: ['E0000007'],
    handler: async ({ params: { fileName } }): Promise<Answer> => {
      if (!isViewerFile(fileName)) throw notFound(fileName, 'File');
      const { file, mediaType } = VIEWER_FILES[fileName];
      const reading = kept.get(file) ?? readFile(pathOfViewerFile(file));
      kept.set(file, reading);
      return { status: 200, body: null, encoded: { mediaType, content: await reading }, headers: READABLE_BY_ALL };
    },
  });
};

/** `routes` is called during requests, when all routes are known. */
export const openApiRoutes = (routes: () => readonly AnyRoute[]): AnyRoute[] => [
  documentRoute(routes),
  pageRoute,
  fileRoute(),
];
