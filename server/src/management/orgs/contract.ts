import { Type } from '@sinclair/typebox';

const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]));

export const OrgBody = Type.Object({
  companyName: Text,
  address1: Text,
  address2: Text,
  city: Text,
  country: Text,
  endUserSupportHelpURL: Text,
  phoneNumber: Text,
  postalCode: Text,
  state: Text,
  supportPhoneNumber: Text,
  website: Text,
});

const TextOrNull = Type.Union([Type.String(), Type.Null()]);

export const OrgSchema = Type.Object({
  id: Type.String(),
  subdomain: Type.String(),
  status: Type.Union([Type.Literal('ACTIVE'), Type.Literal('INACTIVE')]),
  companyName: Type.String(),
  address1: TextOrNull,
  address2: TextOrNull,
  city: TextOrNull,
  country: TextOrNull,
  endUserSupportHelpURL: TextOrNull,
  phoneNumber: TextOrNull,
  postalCode: TextOrNull,
  state: TextOrNull,
  supportPhoneNumber: TextOrNull,
  website: TextOrNull,
  created: Type.String({ format: 'date-time' }),
  lastUpdated: Type.String({ format: 'date-time' }),
  expiresAt: TextOrNull,
  _links: Type.Object({}),
});

export const OrgMetadataSchema = Type.Object({
  id: Type.String(),
  _links: Type.Object({ organization: Type.Object({ href: Type.String() }) }),
  pipeline: Type.Literal('v1'),
  settings: Type.Record(Type.String(), Type.Boolean()),
});
