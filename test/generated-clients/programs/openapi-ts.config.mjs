// hey-api's generator: answers are checked by zod, and then get the types of JavaScript that their formats name.
export default {
  input: './openapi.json',
  output: './hey-api',
  plugins: [
    '@hey-api/client-fetch',
    '@hey-api/transformers',
    'zod',
    { name: '@hey-api/sdk', validator: 'zod', transformer: true },
  ],
};
