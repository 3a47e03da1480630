// What the address holds of a list of requests.

export const requestParams = [
  'status',
  'code',
  'key',
  'method',
  'path',
  'request_id',
  'from',
  'to',
  'before',
  'open',
] as const;
