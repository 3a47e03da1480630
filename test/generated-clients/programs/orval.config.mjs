// orval twice: a client on fetch, with its address, and zod checks.
export default {
  fetch: {
    input: './openapi.json',
    output: { target: './orval/api.ts', client: 'fetch', baseUrl: process.env.SELLTHROUGH_URL },
  },
  zod: { input: './openapi.json', output: { target: './orval/zod.ts', client: 'zod' } },
};
