import { Type } from '@sinclair/typebox';

const Link = Type.Object({
  rel: Type.String(),
  href: Type.String(),
  titles: Type.Record(Type.String(), Type.String()),
  properties: Type.Record(Type.String(), Type.String()),
});

export const DiscoveryResultSchema = Type.Object({ subject: Type.String(), links: Type.Array(Link) });
