import { API_TITLE, API_VERSION, openApiDocument } from '../../server/src/app/openapi/document.ts';
import { DEFAULT_NAMESPACE_WORD, namespaceOf } from '../../server/src/kernel/words/namespace.ts';
import type { AnyRoute } from '../../server/src/platform/http/route.ts';

/** The address of an org; in the document that an org serves, it is the org's own. */
const SERVERS = [
  {
    url: 'https://{org}.{baseDomain}',
    description: 'An org, at its subdomain of the installation.',
    variables: {
      org: { default: 'acme', description: 'The subdomain of the org.' },
      baseDomain: { default: 'example.com', description: 'The base domain of the installation.' },
    },
  },
];

/** Generates openapi/<api>.json, the document of these routes. Its diff is the review of an API change. */
export function generateOpenApi(routes: readonly AnyRoute[]): string {
  const options = {
    title: API_TITLE,
    version: API_VERSION,
    namespace: namespaceOf(DEFAULT_NAMESPACE_WORD),
    servers: SERVERS,
  };
  const document = openApiDocument(routes, options);
  return `${JSON.stringify(document, null, 2)}\n`;
}
