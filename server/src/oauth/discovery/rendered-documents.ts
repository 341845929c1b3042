import { boundedCache } from '../../platform/caches/index.ts';
import type { Metadata, MetadataInput } from './metadata.ts';

/** A document is about 4 kB long, so a function that `renderedOnce` returns keeps at most 2 MB. */
const MAXIMUM_DOCUMENTS = 500;

interface Rendered {
  readonly scopes: readonly string[];
  readonly text: string;
}

/**
 * Returns a function that caches the rendered document of each issuer. A call with another `scopes` array replaces it.
 * Building and stringifying a document takes longer than everything else that its request needs.
 */
export function renderedOnce<Input extends MetadataInput>(
  metadata: (input: Input) => Metadata,
  issuerOf: (input: Input) => string,
): (input: Input) => string {
  const documents = boundedCache<string, Rendered>(MAXIMUM_DOCUMENTS);
  return (input) => {
    const issuer = issuerOf(input);
    const known = documents.get(issuer);
    if (known?.scopes === input.scopes) return known.text;
    const text = JSON.stringify(metadata(input));
    documents.set(issuer, { scopes: input.scopes, text });
    return text;
  };
}
