import { invalidObject } from '../../kernel/errors/errors.ts';
import { findProviderMatchingBy } from '../../management/identity-providers/index.ts';
import { forgetAttributes, readAppFacts } from '../../management/profile-mappings/index.ts';
import type { SchemaPorts } from '../../management/schemas/index.ts';
import type { Work } from '../../system-log/index.ts';

export const schemaPortsOf = (work: Work): SchemaPorts => ({
  work,
  appFacts: readAppFacts,
  attributesRemoved: async (tx, context, owner, names) => {
    if (owner.kind === 'USER') {
      const provider = await findProviderMatchingBy(tx, context.orgId, names);
      if (provider !== undefined) {
        const { attribute, name } = provider;
        throw invalidObject('definitions', [
          `${attribute}: The identity provider ${name} finds users by this attribute.`,
        ]);
      }
    }
    await forgetAttributes(tx, context, owner, names);
  },
});
