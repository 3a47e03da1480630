// orval, twice: a client on fetch, and checks by zod. Its client has its address from here.
export default {
  fetch: {
    input: './openapi.json',
    output: { target: './orval/api.ts', client: 'fetch', baseUrl: process.env.SELLTHROUGH_URL },
  },
  zod: { input: './openapi.json', output: { target: './orval/zod.ts', client: 'zod' } },
};
