import Type from 'typebox';
import {
  cursorPageOf,
  cursorParameters,
  oneOfParameter,
  spanOfTime,
  wordsParameter,
} from '../../shared/list-schemas.ts';
import { eventTypes } from './event-schemas.ts';

export const latestEventsFilterSchema = Type.Object({
  type: oneOfParameter(eventTypes, 'Events of this type alone.'),
  words: wordsParameter('Part of a text or a number in the data of the event, ignoring case.'),
  ...spanOfTime,
  ...cursorParameters,
});

export const latestEventsSchema = Type.Object({
  ...cursorPageOf(Type.Ref('AccountEvent')).properties,
  written: Type.Boolean({
    description:
      'false: no event of this account is written, until it has an endpoint or alerts, or its feed is read through the API.',
  }),
});
