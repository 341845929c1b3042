export { type CustomContent, fillMail, type MailVariables, variablesIn } from './custom-mail.ts';
export { type ListedMail, linksIn, listMails, type MailOutbox, type NewMail, queueMail } from './mail-outbox.ts';
export { createMailJobs, type MailJobs } from './smtp-sender.ts';
export { type MailContent, type MailKind, renderMail } from './templates.ts';
