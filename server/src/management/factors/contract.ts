import { type Static, Type } from '@sinclair/typebox';
import { QUESTION_KEYS } from './kinds/question-rules.ts';

/** `userId` can also be a login, a short login, or `me`. */
export const UserParams = Type.Object({ userId: Type.String() });
export const FactorParams = Type.Object({ userId: Type.String(), factorId: Type.String() });
export const ResetFactorsParams = Type.Object({ id: Type.String() });

const FACTOR_TYPES = ['question', 'token:software:totp'];
const Word = (words: readonly string[], description: string) =>
  Type.Unsafe<string>({ type: 'string', enum: [...words], description });

const ANSWER = Type.String({ minLength: 1, maxLength: 100, description: 'It has at least 4 characters.' });

export const EnrollFactorBody = Type.Object({
  factorType: Type.String({ maxLength: 50, description: 'The type: `question` or `token:software:totp`.' }),
  provider: Type.String({
    maxLength: 50,
    description: 'The provider: the namespace word in capitals, or `GOOGLE` for Google Authenticator.',
  }),
  profile: Type.Optional(
    Type.Object({
      question: Type.Optional(Word(QUESTION_KEYS, 'The key of a security question.')),
      answer: Type.Optional(ANSWER),
    }),
  ),
});
export type EnrollFactorInput = Static<typeof EnrollFactorBody>;

const PassCode = Type.String({ minLength: 1, maxLength: 20, description: 'The code that the device shows.' });

export const ActivateFactorBody = Type.Object({ passCode: PassCode });

export const VerifyFactorBody = Type.Object({
  passCode: Type.Optional(PassCode),
  answer: Type.Optional(ANSWER),
});
export type FactorProof = Static<typeof VerifyFactorBody>;

const Instant = Type.String({ format: 'date-time' });
const Links = Type.Record(Type.String(), Type.Unknown());

const Activation = Type.Object({
  timeStep: Type.Integer({ description: 'The seconds for which a code is valid.' }),
  sharedSecret: Type.String({ description: 'The secret for the authenticator app. Only the enrollment shows it.' }),
  encoding: Type.String(),
  keyLength: Type.Integer({ description: 'The number of characters of the secret.' }),
  _links: Type.Object({
    qrcode: Type.Object({
      href: Type.String({ description: 'A `data:` URL of the QR code, which contains the secret.' }),
      type: Type.String(),
    }),
  }),
});

export const FactorSchema = Type.Object({
  id: Type.String(),
  factorType: Word(FACTOR_TYPES, 'The type of the factor.'),
  provider: Type.String(),
  vendorName: Type.String(),
  status: Word(['PENDING_ACTIVATION', 'ACTIVE'], 'A pending factor must first be activated.'),
  created: Instant,
  lastUpdated: Instant,
  profile: Type.Object({
    question: Type.Optional(Type.String()),
    questionText: Type.Optional(Type.String()),
    credentialId: Type.Optional(Type.String()),
  }),
  _embedded: Type.Optional(Type.Object({ activation: Activation })),
  _links: Links,
});
export const FactorListSchema = Type.Array(FactorSchema);

export const SupportedFactorListSchema = Type.Array(
  Type.Object({
    factorType: Word(FACTOR_TYPES, 'The type of the factor.'),
    provider: Type.String(),
    vendorName: Type.String(),
    status: Word(['NOT_SETUP', 'PENDING_ACTIVATION', 'ACTIVE'], 'Whether the user has this factor.'),
    enrollment: Word(['OPTIONAL'], 'No factor is required of users yet.'),
    _links: Links,
  }),
);

export const QuestionListSchema = Type.Array(Type.Object({ question: Type.String(), questionText: Type.String() }));

export const FactorResultSchema = Type.Object({ factorResult: Word(['SUCCESS'], 'The result of the verification.') });
export const EmptyObject = Type.Object({});
