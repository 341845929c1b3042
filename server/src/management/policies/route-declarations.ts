export const reading = {
  tag: 'Policy',
  access: 'authenticated',
  scopes: ['policies.read'],
  permission: 'policies.read',
  bucket: 'management',
  cors: false,
} as const;

export const policyCollection = '/api/v1/policies';
export const policySingle = `${policyCollection}/:policyId`;
