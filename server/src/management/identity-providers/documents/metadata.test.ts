import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderMetadata } from './metadata.ts';

const facts = { entityId: 'urn:us', nameFormat: 'urn:format', location: 'https://acme.example/sso/saml2/0oa1' };
const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};
const unescape = (text: string): string => text.replaceAll(/&[^;]+;/g, (entity) => ENTITIES[entity] ?? entity);

describe('renderMetadata', () => {
  test('is this document', () => {
    expect(renderMetadata(facts)).toBe(
      [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="urn:us">',
        '<md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true"' +
          ' protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">',
        '<md:NameIDFormat>urn:format</md:NameIDFormat>',
        '<md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"' +
          ' Location="https://acme.example/sso/saml2/0oa1" index="0" isDefault="true"/>',
        '</md:SPSSODescriptor>',
        '</md:EntityDescriptor>',
        '',
      ].join('\n'),
    );
  });

  test('no text leaves its quotes, and each comes back as it was', () => {
    fc.assert(
      fc.property(fc.string(), (entityId) => {
        const found = /entityID="([^"<>]*)">/.exec(renderMetadata({ ...facts, entityId }));
        expect(unescape(found?.[1] ?? '')).toBe(entityId);
      }),
    );
  });
});
