import { escapeHtml } from '../../../kernel/texts/html.ts';
import type { Parameters } from './parameter-rules.ts';

/** The text of the title and of any button, and the language of this text. */
export interface ContinueText {
  readonly language: string;
  readonly text: string;
}

const page = ({ language, text }: ContinueText, body: string): string =>
  `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(text)}</title>
</head>
<body>
${body}
</body>
</html>
`;

/** Renders a self-submitting form (OAuth 2.0 Form Post Response Mode), with a button for browsers without scripts. */
export function renderFormPost(redirectUri: string, parameters: Parameters, nonce: string, word: ContinueText): string {
  const fields = Object.entries(parameters).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return page(
    word,
    `<form method="post" action="${escapeHtml(redirectUri)}">
${fields.join('\n')}
<noscript><button type="submit">${escapeHtml(word.text)}</button></noscript>
</form>
<script nonce="${nonce}">document.forms[0].submit();</script>`,
  );
}

/** Writes a value as JSON that cannot end the surrounding script or a line of the script. */
const inScript = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Renders a page that sends the response to its opener or parent window, if that window shows the client's origin. */
export const renderPostMessage = (
  targetOrigin: string,
  parameters: Parameters,
  nonce: string,
  word: ContinueText,
): string =>
  page(
    word,
    `<script nonce="${nonce}">
(function (receiver) {
  if (receiver && receiver !== window) receiver.postMessage(${inScript(parameters)}, ${inScript(targetOrigin)});
})(window.opener || window.parent);
</script>`,
  );
