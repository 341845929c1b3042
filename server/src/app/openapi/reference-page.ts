import { newNonce } from '../../platform/pages/index.ts';

export const DOCUMENT_URL = '/api/openapi.json';
export const PAGE_URL = '/api/reference';

/** Files of the viewer's package, by the name under which an org serves them. */
export const VIEWER_FILES = {
  'viewer.js': { file: 'swagger-ui-dist/swagger-ui-bundle.js', mediaType: 'text/javascript; charset=utf-8' },
  'viewer.css': { file: 'swagger-ui-dist/swagger-ui.css', mediaType: 'text/css; charset=utf-8' },
} as const;

const SCRIPT_URL = `${PAGE_URL}/viewer.js`;
const STYLE_URL = `${PAGE_URL}/viewer.css`;

/**
 * The page only displays the document. The script adds the attributes that users of screen readers and keyboards need.
 */
const START = `
const hidden = () => null;
const reference = document.getElementById('reference');
const give = (selector, name, valueOf) => {
  for (const element of reference.querySelectorAll(selector + ':not([' + name + '])')) {
    element.setAttribute(name, valueOf(element));
  }
};
const labelOf = (field) =>
  field.closest('[data-param-name]')?.dataset.paramName || field.title || field.placeholder || 'Choice';
new MutationObserver(() => {
  give('h3.opblock-tag', 'aria-level', () => '2');
  give('h4, h5', 'aria-level', () => '3');
  give('pre', 'tabindex', () => '0');
  give('.information-container, .scheme-container', 'role', () => 'region');
  give('.information-container', 'aria-label', () => 'About this API');
  give('.scheme-container', 'aria-label', () => 'Server');
  give('.filter-container', 'role', () => 'search');
  give('[role=region]', 'aria-label', (one) => one.id);
  give('select, input', 'aria-label', labelOf);
}).observe(reference, { childList: true, subtree: true });
SwaggerUIBundle({
  url: ${JSON.stringify(DOCUMENT_URL)},
  dom_id: '#reference',
  docExpansion: 'none',
  defaultModelsExpandDepth: -1,
  filter: true,
  supportedSubmitMethods: [],
  validatorUrl: null,
  syntaxHighlight: false,
  plugins: [() => ({ wrapComponents: { authorizeBtn: () => hidden, authorizeOperationBtn: () => hidden } })],
});
`;

/** This style sheet replaces those of the viewer's colours that have too little contrast (WCAG 2.2, 1.4.3). */
const STYLE = `
body { margin: 0; background: #fff; color: #1a1a1a; font-family: system-ui, sans-serif; }
noscript p { margin: 2rem; }
#reference .info a, #reference .info .url, #reference .opblock-description a { color: #0b57a4; }
#reference .info .version, #reference .info .version-stamp { background: #4a5160; }
#reference .info .version-stamp .version, #reference .info .version-stamp { background: #3c6300; }
#reference .opblock-get .opblock-summary-method { background: #0b5cad; }
#reference .opblock-post .opblock-summary-method { background: #1a7047; }
#reference .opblock-put .opblock-summary-method { background: #965400; }
#reference .opblock-delete .opblock-summary-method { background: #b3201f; }
#reference .opblock-patch .opblock-summary-method { background: #0c7366; }
#reference .opblock-deprecated .opblock-summary-method { background: #4a5160; }
#reference .parameter__in, #reference .parameter__extension, #reference .prop-format { color: #4a5160; }
#reference .renderedMarkdown code, #reference .markdown code { color: #6a0dad; background: #fff; }
`;

/**
 * The viewer is third-party code, so the page runs in its own origin (`sandbox`). The page has no opener policy,
 * because browsers would refuse to show a sandboxed page with one.
 */
function headersOf(origin: string, nonce: string): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' ${origin}${SCRIPT_URL}`,
    `style-src 'nonce-${nonce}' ${origin}${STYLE_URL}`,
    'img-src data:',
    `connect-src ${origin}${DOCUMENT_URL}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    'sandbox allow-scripts',
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  };
}

export function referencePage(origin: string): { readonly content: string; readonly headers: Record<string, string> } {
  const nonce = newNonce();
  const content = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLE_URL}" crossorigin="anonymous">
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<div id="reference">
<noscript><p>This page needs JavaScript. The <a href="${DOCUMENT_URL}">OpenAPI document</a> does not.</p></noscript>
</div>
<script src="${SCRIPT_URL}" crossorigin="anonymous"></script>
<script nonce="${nonce}">${START}</script>
</body>
</html>
`;
  return { content, headers: { ...headersOf(origin, nonce) } };
}
