const common = { tag: 'Policy', access: 'authenticated', bucket: 'management', cors: false } as const;

/** Members that the route declarations of policies and rules share. */
export const reading = { ...common, scopes: ['policies.read'], permission: 'policies.read' } as const;
export const managing = { ...common, scopes: ['policies.manage'], permission: 'policies.manage' } as const;

export const policyCollection = '/api/v1/policies';
export const policySingle = `${policyCollection}/:policyId`;
