// What test/tools/generated-clients.test.ts asks of a client. Each program implements it with the client of one tool.

export interface GeneratedClient {
  place(wish: Wish): Promise<Placed>;
  list(): Promise<Listed>;
  miss(): Promise<Missed>;
}

export interface Wish {
  readonly package_id: number;
  readonly customer: string;
  readonly months?: 3;
  readonly period?: 'yearly';
}

export interface Placed {
  readonly id: number;
  readonly months: 1 | 3 | 12;
  readonly balance: string;
}

export interface Listed {
  readonly ids: readonly number[];
  readonly total: number | undefined;
}

export interface Missed {
  readonly status: number;
  readonly code: string;
}
