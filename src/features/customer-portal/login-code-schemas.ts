import Type from 'typebox';

export const exchangeCodeBodySchema = Type.Object({ code: Type.String({ maxLength: 100 }) });
