// Configures hey-api's generator. Its zod schemas check answers and convert them to the JavaScript types of their formats.
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
