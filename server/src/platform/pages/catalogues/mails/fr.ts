import type { MailTexts } from './en.ts';

export const mailTexts: MailTexts = {
  'mail.activation.ask': 'Activez-le et choisissez un mot de passe :',
  'mail.activation.button': 'Activer le compte',
  'mail.activation.lead': 'Un compte a été créé pour vous chez {org}.',
  'mail.activation.subject': 'Activez votre compte chez {org}',
  'mail.addressNotice.ask':
    'Si ce n’était pas vous, changez votre mot de passe et annulez la modification dans votre profil :',
  'mail.addressNotice.button': 'Mon profil',
  'mail.addressNotice.lead':
    'Quelqu’un veut changer l’adresse e-mail de votre compte chez {org}. La nouvelle prendra effet une fois confirmée.',
  'mail.addressNotice.subject': 'Changement d’adresse e-mail pour votre compte chez {org}',
  'mail.addressProof.ask': 'Si ce n’était pas vous, ignorez cet e-mail. Sinon, confirmez l’adresse :',
  'mail.addressProof.button': 'Confirmer l’adresse e-mail',
  'mail.addressProof.lead': 'Quelqu’un a indiqué cette adresse pour un compte chez {org}.',
  'mail.addressProof.subject': 'Confirmez votre adresse e-mail chez {org}',
  'mail.appRemoved.ask':
    'Si ce n’était pas vous, changez votre mot de passe et fermez les sessions que vous ne reconnaissez pas :',
  'mail.appRemoved.button': 'Mes sessions',
  'mail.appRemoved.lead':
    'Votre compte a servi à retirer une application à {who} chez {org}. Vous avez demandé à en être informé.',
  'mail.appRemoved.subject': 'Une application a été retirée à un compte chez {org}',
  'mail.deactivation.ask':
    'Si ce n’était pas vous, changez votre mot de passe et fermez les sessions que vous ne reconnaissez pas :',
  'mail.deactivation.button': 'Mes sessions',
  'mail.deactivation.lead':
    'Votre compte a servi à désactiver le compte {who} chez {org}. Vous avez demandé à en être informé.',
  'mail.deactivation.subject': 'Un compte chez {org} a été désactivé',
  'mail.ending': 'Des questions sur cet e-mail ? Contactez votre administrateur.',
  'mail.factorEnrolled.ask': 'Si vous ne vous y attendiez pas, contactez votre administrateur. Connectez-vous ici :',
  'mail.factorEnrolled.button': 'Se connecter',
  'mail.factorEnrolled.lead': 'Un second facteur a été configuré pour votre compte chez {org}.',
  'mail.factorEnrolled.subject': 'Un second facteur a été configuré pour votre compte chez {org}',
  'mail.factorsRemoved.ask': 'Si vous ne vous y attendiez pas, contactez votre administrateur. Connectez-vous ici :',
  'mail.factorsRemoved.button': 'Se connecter',
  'mail.factorsRemoved.lead': 'Des seconds facteurs de votre compte chez {org} ont été supprimés.',
  'mail.factorsRemoved.subject': 'Des seconds facteurs de votre compte chez {org} ont été supprimés',
  'mail.hello': 'Bonjour,',
  'mail.helloName': 'Bonjour {name},',
  'mail.lockout.ask':
    'Si ce n’était pas vous, contactez votre administrateur. Une fois le compte déverrouillé, connectez-vous ici :',
  'mail.lockout.button': 'Se connecter',
  'mail.lockout.lead': 'Votre compte chez {org} a été verrouillé après trop de mots de passe erronés.',
  'mail.lockout.subject': 'Votre compte chez {org} a été verrouillé',
  'mail.passwordReset.ask': 'Choisissez un nouveau mot de passe ici :',
  'mail.passwordReset.button': 'Choisir un mot de passe',
  'mail.passwordReset.lead': 'Un nouveau mot de passe a été demandé pour votre compte chez {org}.',
  'mail.passwordReset.subject': 'Réinitialisez votre mot de passe chez {org}',
  'mail.signInCode.ask': 'Si ce n’est pas vous, quelqu’un connaît votre mot de passe. Changez-le :',
  'mail.signInCode.button': 'Changer le mot de passe',
  'mail.signInCode.lead': 'Pour vous connecter à {org}, saisissez ce code : {code}. Il est valable {minutes} minutes.',
  'mail.signInCode.subject': 'Votre code de connexion à {org}',
  'mail.signInRequest.ask': 'Si vous êtes à l’origine de cette demande, examinez-la. Sinon, refusez-la :',
  'mail.signInRequest.button': 'Mes demandes',
  'mail.signInRequest.lead':
    'Une application demande votre accord chez {org}. La demande expire dans quelques minutes.',
  'mail.signInRequest.subject': 'Une demande chez {org} vous attend',
  'mail.unlock.ask': 'Si c’était vous, déverrouillez-le ici :',
  'mail.unlock.button': 'Déverrouiller le compte',
  'mail.unlock.lead': 'Quelqu’un a demandé le déverrouillage de votre compte chez {org}.',
  'mail.unlock.subject': 'Déverrouillez votre compte chez {org}',
  'mail.valid.days': 'Le lien fonctionne une seule fois et expire dans {count, plural, one {# jour} other {# jours}}.',
  'mail.valid.hours':
    'Le lien fonctionne une seule fois et expire dans {count, plural, one {# heure} other {# heures}}.',
  'mail.valid.minutes':
    'Le lien fonctionne une seule fois et expire dans {count, plural, one {# minute} other {# minutes}}.',
  'mail.yourOrg': 'votre organisation',
};
