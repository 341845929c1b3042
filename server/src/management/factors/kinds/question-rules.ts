/** The security questions by key. The keys are the contract's. */
export const QUESTIONS = {
  disliked_food: 'What is the food you least liked as a child?',
  name_of_first_plush_toy: 'What is the name of your first stuffed animal?',
  first_award: 'What was the first prize or award that you won?',
  favorite_security_question: 'Which security question do you like best?',
  favorite_toy: 'Which toy did you love most as a child?',
  first_computer_game: 'Which computer game did you play first?',
  favorite_movie_quote: 'Which line from a film do you like best?',
  first_sports_team_mascot: 'What was the mascot of the first team that you played in?',
  first_music_purchase: 'What was the first music that you bought?',
  favorite_art_piece: 'Which work of art do you like best?',
  grandmother_favorite_desert: 'Which dessert did your grandmother like best?',
  first_thing_cooked: 'What was the first meal that you learned to cook?',
  childhood_dream_job: 'What did you want to become when you were a child?',
  first_kiss_location: 'Where were you when you had your first kiss?',
  place_where_significant_other_was_met: 'Where did you meet your partner?',
  favorite_vacation_location: 'Where do you like to spend your holidays?',
  new_years_two_thousand: 'Where were you on New Year’s Eve of the year 2000?',
  favorite_speaker_actor: 'Which speaker or actor do you like best?',
  favorite_book_movie_character: 'Which character of a book or a film do you like best?',
  favorite_sports_player: 'Which athlete do you like best?',
} as const satisfies Readonly<Record<string, string>>;

export type QuestionKey = keyof typeof QUESTIONS;

export const QUESTION_KEYS = Object.keys(QUESTIONS) as readonly QuestionKey[];

export const isQuestion = (text: string): text is QuestionKey => Object.hasOwn(QUESTIONS, text);
