export { type LogoutJobPorts, logoutNotices } from './notify-client.ts';
export { notifyClientsOfLogout, notifyClientsOfVoidSessions } from './notify-clients.ts';
