import type { AppStatus } from '../lifecycle.ts';
import { credentialLifecycle } from './client-credential-lifecycle.ts';

export function credentialLinks(address: string, status: AppStatus): Record<string, unknown> {
  const links = credentialLifecycle.linkedFrom(status).map((action) => {
    const link =
      action === 'delete'
        ? { href: address, hints: { allow: ['DELETE'] } }
        : { href: `${address}/lifecycle/${action}`, hints: { allow: ['POST'] } };
    return [action, link] as const;
  });
  return Object.fromEntries(links);
}
