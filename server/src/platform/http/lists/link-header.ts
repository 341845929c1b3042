export interface HeaderLink {
  readonly rel: string;
  readonly href: string;
}

const percentEncode = (text: string): string =>
  Array.from(Buffer.from(text, 'utf8'), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');

/**
 * Encodes a name or value for a URL. Commas are encoded too, because some clients split Link headers at them (contract
 * section 21).
 */
export const encodeParameter = (text: string): string => text.replace(/[^\w.~-]+/g, percentEncode);

/** Writes one Link line per relation. The lines are never joined (contract section 2; RFC 8288). */
export const linkHeaders = (links: readonly HeaderLink[]): string[] =>
  links.map(({ rel, href }) => `<${href.replace(/[^\x21-\x7e]+|[<>",]/g, percentEncode)}>; rel="${rel}"`);
