import type { Version } from '../../../kernel/version.ts';

export interface PageLink {
  readonly rel: 'self' | 'next' | 'prev';
  readonly query: readonly (readonly [name: string, value: string])[];
}

/** A body that is already text or bytes. */
export interface EncodedBody {
  readonly mediaType: string;
  readonly content: string | Buffer;
}

export interface Answer {
  readonly status: number;
  /** The value that the edge turns into JSON; null if there is none. */
  readonly body: unknown;
  /** This overrides `body`. */
  readonly encoded?: EncodedBody;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** The links of a paged list; the edge turns them into Link lines. */
  readonly links?: readonly PageLink[];
  /** The version of the one resource that the response shows. The edge turns it into `ETag`. */
  readonly version?: Version;
}

export const ok = (body: unknown, headers?: Readonly<Record<string, string>>): Answer =>
  headers === undefined ? { status: 200, body } : { status: 200, body, headers };

export const created = (body: unknown): Answer => ({ status: 201, body });

export const versioned = (version: Version, body: unknown, status: 200 | 201 = 200): Answer => ({
  status,
  body,
  version,
});

/** Makes a 202 response, after which the work continues. */
export const accepted = (body: unknown): Answer => ({ status: 202, body });

export const noContent = (): Answer => ({ status: 204, body: null });

export const page = (body: readonly unknown[], links: readonly PageLink[]): Answer => ({ status: 200, body, links });

/** Makes a response from JSON that is already serialized. */
export const rawJson = (content: string | Buffer, others: Pick<Answer, 'headers' | 'links'> = {}): Answer => ({
  status: 200,
  body: null,
  encoded: { mediaType: 'application/json', content },
  ...others,
});

export const html = (content: string, headers: NonNullable<Answer['headers']>, status = 200): Answer => ({
  status,
  body: null,
  encoded: { mediaType: 'text/html; charset=utf-8', content },
  headers,
});

export const textAnswer = (status: 200 | 201, mediaType: string, content: string): Answer => ({
  status,
  body: null,
  encoded: { mediaType, content },
});

/** The content security policy of images other than SVG. */
const INERT = "default-src 'none'; sandbox";
/** The policy of SVG images, which may contain a style sheet and embedded images. */
const INERT_SVG = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";

/** The Cache-Control of an image whose address never returns another one. Other images get `FOR_AN_HOUR`. */
export const FOR_A_YEAR = 'public, max-age=31536000, immutable';
export const FOR_AN_HOUR = 'public, max-age=3600';

/** Makes a response with an image. Browsers execute nothing in it. */
export const imageFile = (
  mediaType: string,
  content: Uint8Array,
  cacheControl: typeof FOR_A_YEAR | typeof FOR_AN_HOUR,
): Answer => ({
  status: 200,
  body: null,
  encoded: { mediaType, content: Buffer.from(content) },
  headers: {
    'Content-Security-Policy': mediaType === 'image/svg+xml' ? INERT_SVG : INERT,
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Cache-Control': cacheControl,
  },
});
