import { API_TITLE, API_VERSION, openApiDocument } from '../../server/src/app/openapi/document.ts';
import { DEFAULT_NAMESPACE_WORD, namespaceOf } from '../../server/src/kernel/words/namespace.ts';
import type { AnyRoute } from '../../server/src/platform/http/route.ts';

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
