/** A form on a page, as a browser without scripts would submit it. */
export interface Form {
  /** The action as written on the page. An empty string means the address of the page. */
  readonly action: string;
  readonly method: 'GET' | 'POST';
  /** The values that are submitted if the user changes nothing. */
  readonly fields: Readonly<Record<string, string>>;
  readonly boxes: readonly string[];
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" };

const unescape = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39|#x27);/g, (_, name: string) => ENTITIES[name] ?? '');

function attribute(tag: string, name: string): string | null {
  const [, quoted, bare] = new RegExp(`\\s${name}=(?:"([^"]*)"|([^\\s>]+))`, 'i').exec(tag) ?? [];
  const value = quoted ?? bare;
  return value === undefined ? null : unescape(value);
}

const tagsIn = (inner: string, name: string): string[] =>
  [...inner.matchAll(new RegExp(`<${name}\\b[^>]*>`, 'gi'))].map(([tag]) => tag);

const isBox = (input: string): boolean => /^(?:checkbox|radio)$/.test(attribute(input, 'type') ?? '');

function inputsIn(inner: string): [name: string, value: string][] {
  return tagsIn(inner, 'input').flatMap((input) => {
    const name = attribute(input, 'name');
    const isLeft = attribute(input, 'type') === 'submit' || (isBox(input) && !/\schecked\b/i.test(input));
    return name === null || isLeft ? [] : [[name, attribute(input, 'value') ?? (isBox(input) ? 'on' : '')]];
  });
}

function selectsIn(inner: string): [name: string, value: string][] {
  return [...inner.matchAll(/(<select\b[^>]*>)([^]*?)<\/select>/gi)].flatMap(([, tag = '', choices = '']) => {
    const name = attribute(tag, 'name');
    const options = tagsIn(choices, 'option');
    const chosen = options.find((option) => /\sselected\b/i.test(option)) ?? options[0];
    return name === null || chosen === undefined ? [] : [[name, attribute(chosen, 'value') ?? '']];
  });
}

export function formsIn(html: string): Form[] {
  return [...html.matchAll(/(<form\b[^>]*>)([^]*?)<\/form>/gi)].map(([, tag = '', inner = '']) => ({
    action: attribute(tag, 'action') ?? '',
    method: /^post$/i.test(attribute(tag, 'method') ?? '') ? 'POST' : 'GET',
    fields: Object.fromEntries([...inputsIn(inner), ...selectsIn(inner)]),
    boxes: tagsIn(inner, 'input').flatMap((input) => (isBox(input) ? [attribute(input, 'name') ?? ''] : [])),
  }));
}

export function firstFormIn(html: string): Form {
  const [form] = formsIn(html);
  if (form === undefined) throw new Error(`no form in ${html.slice(0, 2_000)}`);
  return form;
}
