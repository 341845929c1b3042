import type { Context } from '../../../kernel/context.ts';
import { apiError } from '../../../kernel/errors/errors.ts';
import { escapeHtml } from '../../../kernel/texts/html.ts';
import type { Db } from '../../../platform/postgres/index.ts';
import { getProvider } from '../resource.ts';
import { assertionAddress } from '../wire.ts';

const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata';
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
const POST_BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';

export interface ServiceProviderFacts {
  readonly entityId: string;
  readonly nameFormat: string;
  /** The address to which the provider posts responses. */
  readonly location: string;
}

/** HTML escaping is also valid in XML. */
const attribute = escapeHtml;

/** The metadata (SAML metadata 2.4.4) contains no key, because requests are not signed yet. */
export const renderMetadata = ({ entityId, location, nameFormat }: ServiceProviderFacts): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<md:EntityDescriptor xmlns:md="${METADATA}" entityID="${attribute(entityId)}">`,
    '<md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true"' +
      ` protocolSupportEnumeration="${PROTOCOL}">`,
    `<md:NameIDFormat>${attribute(nameFormat)}</md:NameIDFormat>`,
    `<md:AssertionConsumerService Binding="${POST_BINDING}" Location="${attribute(location)}"` +
      ' index="0" isDefault="true"/>',
    '</md:SPSSODescriptor>',
    '</md:EntityDescriptor>',
    '',
  ].join('\n');

export async function getMetadata(db: Db, context: Context, id: string): Promise<string> {
  const provider = await getProvider(db, context, id);
  const { protocol } = provider.document;
  if (protocol.type !== 'SAML2') {
    throw apiError('E0000060', {
      causes: [`Only providers of the type SAML2 have metadata; this one is ${protocol.type}.`],
    });
  }
  return renderMetadata({
    entityId: protocol.credentials.trust.audience,
    nameFormat: protocol.settings.nameFormat,
    location: assertionAddress(provider, protocol, context),
  });
}
