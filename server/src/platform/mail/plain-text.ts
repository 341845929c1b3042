const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' };

const unescaped = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => ENTITIES[name] ?? '');

/** Elements whose content is not part of the text. */
const SILENT: ReadonlySet<string> = new Set(['head', 'style', 'title', 'script', 'template']);
const LINES = /^(?:p|div|br|h[1-6]|tr|li|ul|ol|table|blockquote|hr)$/;

const addressOf = (tag: string): string => {
  const [, quoted, single] = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag) ?? [];
  return unescaped(quoted ?? single ?? '').trim();
};

function endOfSilence(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}`, 'gi');
  closing.lastIndex = from;
  return closing.exec(html)?.index ?? html.length;
}

/** Converts HTML to plain text. A link's address follows its text, unless the text ends with it. */
export function plainTextOf(html: string): string {
  let text = '';
  let address = '';
  for (let at = 0; at < html.length; ) {
    const start = html.indexOf('<', at);
    text += unescaped(html.slice(at, start < 0 ? html.length : start).replaceAll(/\s+/g, ' '));
    if (start < 0) break;
    const isComment = html.startsWith('<!--', start);
    const end = html.indexOf(isComment ? '-->' : '>', start);
    if (end < 0) break;
    at = end + (isComment ? 3 : 1);
    if (isComment) continue;
    const tag = html.slice(start, at);
    const [, slash = '', found = ''] = /^<(\/?)([a-z][a-z0-9]*)/i.exec(tag) ?? [];
    const name = found.toLowerCase();
    if (slash === '' && SILENT.has(name)) at = endOfSilence(html, name, at);
    else if (LINES.test(name)) text += '\n';
    else if (name === 'a' && slash === '') address = addressOf(tag);
    else if (name === 'a') {
      if (address !== '' && !text.endsWith(address)) text += ` ${address}`;
      address = '';
    }
  }
  const lines = text.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' ').trim());
  return `${lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()}\n`;
}
