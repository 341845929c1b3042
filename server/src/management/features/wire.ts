import type { Context } from '../../kernel/context.ts';
import { changeTarget, type Target } from '../../system-log/index.ts';
import type { Feature } from './catalogue.ts';

const statusOf = ({ isEnabled }: Feature): 'ENABLED' | 'DISABLED' => (isEnabled ? 'ENABLED' : 'DISABLED');

export function wireFeature(feature: Feature, { baseUrl }: Context): Record<string, unknown> {
  const address = `${baseUrl}/api/v1/features/${feature.id}`;
  const action = feature.isEnabled ? 'disable' : 'enable';
  return {
    id: feature.id,
    type: 'self-service',
    status: statusOf(feature),
    name: feature.definition.name,
    description: feature.definition.description,
    stage: { value: 'EA' },
    _links: {
      [action]: { href: `${address}/${action}`, hints: { allow: ['POST'] } },
      self: { href: address },
      dependents: { href: `${address}/dependents` },
      dependencies: { href: `${address}/dependencies` },
    },
  };
}

const featureTarget = ({ definition, id }: Feature): Target => ({
  id,
  type: 'Feature',
  alternateId: definition.key,
  displayName: definition.name,
});

export const featureChange = changeTarget(featureTarget, (feature) => ({ status: statusOf(feature) }));
