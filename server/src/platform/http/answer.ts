/** One Link line of a paged list: its relation, and the query by which that page is asked for. */
export interface PageLink {
  readonly rel: 'self' | 'next' | 'prev';
  readonly query: readonly (readonly [name: string, value: string])[];
}

/** What a handler returns: a status, a body or none, and headers. Rendered in one place. */
export interface Answer {
  readonly status: number;
  /** An explicit wire object; `null` = no content. */
  readonly body: unknown;
  /** Text that already is the body, with its media type; wins over `body`. */
  readonly text?: { readonly mediaType: string; readonly content: string | Buffer };
  readonly headers?: Readonly<Record<string, string>>;
  /** Where a paged list stands; the edge turns it into Link lines. */
  readonly links?: readonly PageLink[];
}

export const ok = (body: unknown, headers?: Readonly<Record<string, string>>): Answer =>
  headers === undefined ? { status: 200, body } : { status: 200, body, headers };

export const created = (body: unknown): Answer => ({ status: 201, body });

export const noContent = (): Answer => ({ status: 204, body: null });

export const page = (body: readonly unknown[], links: readonly PageLink[]): Answer => ({ status: 200, body, links });

/** JSON that is already text (log pages are built from stored text, never parsed). */
export const rawJson = (content: string | Buffer, links?: readonly PageLink[]): Answer => {
  const text = { mediaType: 'application/json', content };
  return links === undefined ? { status: 200, body: null, text } : { status: 200, body: null, text, links };
};

export const html = (content: string, headers: Readonly<Record<string, string>>): Answer => ({
  status: 200,
  body: null,
  text: { mediaType: 'text/html; charset=utf-8', content },
  headers,
});
