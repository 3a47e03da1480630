// Runs orval twice: for a client on fetch, which contains the address, and for zod schemas.
export default {
  fetch: {
    input: './openapi.json',
    output: { target: './orval/api.ts', client: 'fetch', baseUrl: process.env.SELLTHROUGH_URL },
  },
  zod: { input: './openapi.json', output: { target: './orval/zod.ts', client: 'zod' } },
};
