export { type LogoutJobPorts, logoutNotices } from './notify-client.ts';
export { tellClientsOfEnding, tellClientsOfVoid } from './tell-clients.ts';
